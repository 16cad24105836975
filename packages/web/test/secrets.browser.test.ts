import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { issueKey } from "../../server/src/agents/keys/keys.ts";
import { codeAt } from "../../server/test/support/authenticator-app.ts";
import { stillDate } from "../../server/test/support/clock.ts";
import { type Client, eventually, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { eachServer } from "./support/browser-world.ts";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

/** What is shown only once does not go by a slip of the hand. */
describe("one-time secrets in a browser", () => {
  const clock = stillDate();
  const world = eachServer(() => startTestServer({}, { clock }));
  let ann: Client;

  beforeEach(async () => {
    ann = await world.server.user("ann");
  });

  /** Escape and the close button ask, and what is shown stays when the answer is no. */
  async function survives(page: Page, dialog: Locator, secret: Locator, isPhone = false): Promise<void> {
    // Back while the page goes back itself is one step.
    const back = async () => {
      await eventually("each window has its entry", () =>
        page.evaluate("history.state.covers === document.querySelectorAll('dialog[open]').length"),
      );
      await page.goBack();
    };
    const question = page.getByRole("dialog", { name: "Close without saving it?" });
    for (const leave of [
      () => page.keyboard.press("Escape"),
      () => dialog.getByRole("button", { name: "Close", exact: true }).click(),
      ...(isPhone ? [back, back] : []),
    ]) {
      await leave();
      await question.waitFor();
      // Escape is no answer to it, either.
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      expect(await secret.isVisible()).toBeTrue();
    }
  }

  test("a new key asks before it goes, and no more when it is copied", async () => {
    await issueKey(world.server.ctx, { agentName: "Scout", ownerUsername: "ann" });
    const visit = await world.open({ as: ann, ...CLIPBOARD });
    const { page } = visit;
    const own = await visit.openWindow("ann", "Your agents");
    await own.getByRole("button", { name: "New key" }).click();
    await page.getByRole("dialog", { name: /Scout/ }).locator("[type=submit]").click();
    const key = own.getByLabel("New key", { exact: true });
    await key.waitFor();
    await survives(page, own, key);
    await own.getByRole("button", { name: "Copy: New key" }).click();
    await page.getByText("Copied", { exact: false }).first().waitFor();
    await page.keyboard.press("Escape");
    await own.waitFor({ state: "detached" });
  });

  test("a webhook's secret asks before it goes", async () => {
    expect((await ann.post("/api/channels", { name: "Garden" })).status).toBe(201);
    const { page } = await world.open({ as: ann, at: "#/c/garden", viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Webhooks", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Webhooks of Garden" });
    await dialog.getByLabel("URL").fill("https://8.8.8.8/hook");
    await dialog.locator("section", { hasText: "An address of yours" }).getByRole("button", { name: "Create" }).click();
    const secret = dialog.getByLabel("Secret", { exact: true });
    await secret.waitFor();
    await survives(page, dialog, secret, true);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close anyway" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("recovery codes ask before they go, also when another tab is chosen", async () => {
    const visit = await world.open({ as: ann });
    const { page } = visit;
    const dialog = await visit.openWindow("ann", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByRole("button", { name: "Set up an authenticator app" }).click();
    const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
    await dialog.getByLabel("Code from the app").fill(codeAt(secret, clock.now() - 30_000));
    await page.keyboard.press("Enter");
    const codes = dialog.getByRole("list", { name: "Recovery codes" });
    await codes.waitFor();
    await survives(page, dialog, codes);
    await dialog.getByRole("tab", { name: "Account" }).click();
    await page.keyboard.press("Escape");
    expect(await codes.isVisible()).toBeTrue();
    await dialog.getByRole("tab", { name: "Account" }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await codes.waitFor({ state: "detached" });
    expect(await dialog.isVisible()).toBeTrue();
  });
});
