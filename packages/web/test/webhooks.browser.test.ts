import { beforeEach, describe, expect, test } from "bun:test";
import { type Client, eventually, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { WebhookReceiver } from "../../server/test/support/webhook-receiver.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

describe("webhooks in a browser", () => {
  const world = eachServer(() => startTestServer({ egressAllow: ["127.0.0.1"] }));
  let ann: Client;
  let id: number;

  beforeEach(async () => {
    ann = await world.server.user("ann");
    id = (await ann.post("/api/channels", { name: "Garden" })).body.channel_id;
  });

  test("an admin makes an address, and what is posted there has a badge and nobody's picture", async () => {
    const { page } = await world.open({ as: ann, at: "#/c/garden", viewport: { width: 390, height: 760 } });
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Webhooks", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Webhooks of Garden" });
    await dialog.getByLabel("Name").fill("Deploys");
    const incoming = dialog.locator("section", { hasText: "An address that other programs" });
    await incoming.getByRole("button", { name: "Create" }).click();
    const address = await dialog.getByLabel("Address", { exact: true }).inputValue();
    expect(new URL(address).pathname).toMatch(/^\/api\/hooks\/\d+_/);
    await dialog.getByText("never used").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await page.screenshot({ path: process.env.PARLEY_SHOT ?? "/dev/null", type: "png" });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close anyway" }).click();
    await world.server.guest.post(new URL(address).pathname, { message: "The roses are dry." });
    const row = page.locator("article", { hasText: "The roses are dry." });
    await row.getByText("Webhook", { exact: true }).waitFor();
    expect(await row.locator("img").count()).toBe(0);
    expect(await row.getByRole("button", { name: "Deploys" }).count()).toBe(0);
  });

  test("an admin makes an outgoing webhook, tests it, sees what was answered and sends it again", async () => {
    using receiver = new WebhookReceiver();
    receiver.answer = () => new Response("thanks");
    const { page } = await world.open({ as: ann, at: "#/c/garden" });
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Webhooks", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Webhooks of Garden" });
    const outgoing = dialog.locator("section", { hasText: "An address of yours" });
    await dialog.getByLabel("URL").fill(receiver.url);
    await outgoing.getByRole("button", { name: "Create" }).click();
    expect(await dialog.getByLabel("Secret", { exact: true }).inputValue()).toStartWith("whsec_");
    await dialog.getByRole("button", { name: `Send a test: ${receiver.url}` }).click();
    await eventually("it arrives", () => receiver.types.includes("webhook.test"));
    await dialog.getByText("Deliveries", { exact: true }).click();
    await dialog.getByText("webhook.test").waitFor();
    await eventually("it is delivered", async () => {
      await dialog.getByRole("button", { name: "Refresh" }).click();
      return (await dialog.getByText(/delivered · 1 try · 200/).count()) === 1;
    });
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: /^Send again: webhook.test/ }).click();
    await eventually("it arrives again", () => receiver.received.length === 2);
    await dialog.getByRole("button", { name: `Turn off: ${receiver.url}` }).click();
    await dialog.getByText("turned off").waitFor();
    const { webhooks } = (await ann.get(`/api/webhooks?channel_id=${id}`)).body;
    expect(webhooks[0]).toMatchObject({ status: "disabled", disabled_reason: "by_user" });
  });
});
