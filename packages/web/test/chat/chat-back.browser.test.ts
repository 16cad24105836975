import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { upload } from "../../../server/test/support/files/sent-file.ts";
import { sayId } from "../../../server/test/support/say.ts";
import { type Client, eventually, PASSWORD } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const IMAGES = join(import.meta.dir, "../../../../docs/images");

/** Waits until the entry that is shown has so many things open: Back closes one when it has its entry, not before. */
const depth = (page: Page, covers: number) =>
  eventually(`${covers} are open`, () => page.evaluate(`(history.state?.covers ?? 0) === ${covers}`));

/** Finds a message of another channel in the search panel, and follows its link. */
async function followSearch(ann: Client, page: Page): Promise<void> {
  await ann.post("/api/messages", { channel_slug: "general", content: "Only the general knows." });
  await page.locator("header.bar").getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("Only the general");
  await page.getByLabel("Only in this channel").uncheck();
  const found = page.locator("aside").getByText("Only the general knows.");
  await eventually("the message is found", async () => {
    await page.getByRole("searchbox").press("Enter");
    return found.isVisible();
  });
  await found.click();
}

/** On a phone, Back closes what covers the conversation, one after the other, and then leaves the channel. */
describe("Back on a phone", () => {
  const world = eachServer();

  async function phone() {
    const ann = await world.server.user("ann");
    await ann.post("/api/channels", { name: "Lab" });
    await ann.post("/api/messages", { channel_slug: "lab", content: "The first of the lab." });
    const visit = await world.open({ as: ann, at: "#/c/general", ...PHONE });
    await visit.page.getByRole("button", { name: "Open the channel list" }).click();
    await visit.page.getByRole("link", { name: "Lab" }).click();
    await visit.page.getByText("The first of the lab.").waitFor();
    return { ann, ...visit, page: visit.page };
  }

  test("closes search, pins, files and the online list, and stays in the channel", async () => {
    const { page } = await phone();
    const panel = page.locator("main[data-panel]");
    for (const name of ["Search", "Pinned messages", "Files", /online/]) {
      await page.locator("header.bar").getByRole("button", { name }).first().click();
      await panel.waitFor();
      await depth(page, 1);
      await page.goBack();
      await panel.waitFor({ state: "detached" });
      expect(page.url()).toEndWith("#/c/lab");
    }
    // Each has closed with one step, and the next leads to the channel before.
    await page.goBack();
    await page.locator("header.bar").getByText("general").waitFor();
  });

  test("closes the list of channels, a window and the viewer, each once, also one that its button has closed", async () => {
    const { ann, page } = await phone();
    await page.getByRole("button", { name: "Open the channel list" }).click();
    await page.locator(".shell[data-menu=open]").waitFor();
    await depth(page, 1);
    await page.goBack();
    await page.locator(".shell[data-menu=open]").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Settings" }).click();
    const settings = page.getByRole("dialog");
    await settings.waitFor();
    await depth(page, 1);
    await page.goBack();
    await settings.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Settings" }).click();
    await depth(page, 1);
    await settings.getByRole("button", { name: "Close", exact: true }).click();
    await settings.waitFor({ state: "detached" });
    await depth(page, 0);
    const picture = await Bun.file(join(IMAGES, "phone.png")).bytes();
    const { body } = await upload(ann, picture, "dot.png");
    await ann.post("/api/messages", { channel_slug: "lab", content: "", file_ids: [body.file.file_id] });
    await page
      .getByRole("button", { name: /dot\.png/ })
      .first()
      .click();
    const viewer = page.locator("dialog[open]");
    await viewer.waitFor();
    await depth(page, 1);
    await page.goBack();
    await viewer.waitFor({ state: "detached" });
    expect(page.url()).toEndWith("#/c/lab");
    await page.goBack();
    await page.locator("header.bar").getByText("general").waitFor();
  });

  test("after a link that was followed from a panel, it leads back to where the panel was opened", async () => {
    const { ann, page } = await phone();
    await followSearch(ann, page);
    await page.locator("header.bar").getByText("general").waitFor();
    await page.goBack();
    await page.locator("header.bar").getByText("Lab").waitFor();
    await page.locator("main[data-panel]").waitFor({ state: "detached" });
    await page.goBack();
    await page.locator("header.bar").getByText("general").waitFor();
  });

  /** The header of the channel whose name is shown. */
  const inChannel = (page: Page, name: string) => page.locator("header.bar").getByText(name).waitFor();
  const length = (page: Page) => page.evaluate<number>("history.length");

  test("a window over the drawer, both closed in one turn, leaves the channel as it was", async () => {
    const { page } = await phone();
    for (const leave of ["Back", "both"]) {
      await page.getByRole("button", { name: "Open the channel list" }).click();
      await depth(page, 1);
      await page.getByRole("button", { name: /^Account menu/ }).click();
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
      const window = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await window.waitFor();
      await depth(page, 2);
      if (leave === "both") {
        await page.evaluate(
          "document.querySelector('dialog[open]').close(); dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))",
        );
      } else {
        await page.goBack();
        await window.waitFor({ state: "detached" });
        await page.locator(".shell[data-menu=open]").waitFor();
        await page.goBack();
      }
      await page.locator(".shell[data-menu=open]").waitFor({ state: "detached" });
      await window.waitFor({ state: "detached" });
      await depth(page, 0);
      await inChannel(page, "Lab");
    }
    await page.goBack();
    await inChannel(page, "general");
  });

  test("a link that is followed while a panel closes is not left again", async () => {
    const { page } = await phone();
    await page.getByRole("button", { name: "Search" }).click();
    await depth(page, 1);
    // The browser takes a moment for a step back. Before it has ended, what was asked for leads on.
    await page.evaluate(`(() => {
      const go = history.go.bind(history);
      history.go = (steps) => {
        history.go = go;
        go(steps);
        location.hash = "#/c/general";
      };
    })()`);
    await page.locator("aside").getByRole("button", { name: "Close" }).click();
    await inChannel(page, "general");
    await depth(page, 0);
    await page.goBack();
    await inChannel(page, "Lab");
  });

  test("several closes in a row by buttons go back by their own entries only, and Forward opens nothing", async () => {
    const { page } = await phone();
    const before = await length(page);
    const search = page.locator("header.bar").getByRole("button", { name: "Search" });
    for (let times = 0; times < 4; times++) {
      await search.click();
      await page.locator("main[data-panel]").waitFor();
      await page.locator("aside").getByRole("button", { name: "Close", exact: true }).first().click();
      await page.locator("main[data-panel]").waitFor({ state: "detached" });
    }
    await depth(page, 0);
    expect(await length(page)).toBe(before + 1);
    await page.goForward();
    await depth(page, 0);
    expect(await page.locator("main[data-panel]").count()).toBe(0);
    await inChannel(page, "Lab");
    await page.goBack();
    await inChannel(page, "general");
    await page.goForward();
    await inChannel(page, "Lab");
  });

  test("Forward passes the entry of a panel from which a link led on", async () => {
    const { ann, page } = await phone();
    await followSearch(ann, page);
    await inChannel(page, "general");
    await page.goBack();
    await inChannel(page, "Lab");
    await depth(page, 0);
    await page.goForward();
    await inChannel(page, "general");
    expect(page.url()).toContain("#/c/general/");
  });

  test("the address of an invitation does not come back below the window in which one logged in", async () => {
    await world.server.user("bob");
    const page = await world.visits.open(`${world.server.url}/join?channel=general`, PHONE, async () => {});
    await page.getByRole("button", { name: "Log in", exact: true }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Username").fill("bob");
    await dialog.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.locator("textarea#text").waitFor();
    await dialog.waitFor({ state: "detached" });
    await depth(page, 0);
    expect(page.url()).toBe(`${world.server.url}/#/c/general`);
    await page.reload();
    await page.locator("textarea#text").waitFor();
    expect(page.url()).toBe(`${world.server.url}/#/c/general`);
  });

  test("a page that was reloaded, or opened by a link, with something open has nothing to go back through", async () => {
    const { ann, page } = await phone();
    const linkedId = await sayId(ann, "lab", "The one that was linked.");
    await page.locator("header.bar").getByRole("button", { name: "Search" }).click();
    await depth(page, 1);
    await page.reload();
    await page.getByText("The first of the lab.").waitFor();
    await depth(page, 0);
    await page.goBack();
    await inChannel(page, "general");
    const linked = await world.open({ as: ann, at: `#/c/lab/${linkedId}`, ...PHONE });
    await linked.page.locator("header.bar").getByRole("button", { name: "Files" }).click();
    await depth(linked.page, 1);
    await linked.page.goBack();
    await linked.page.locator("main[data-panel]").waitFor({ state: "detached" });
    expect(linked.page.url()).toEndWith(`#/c/lab/${linkedId}`);
  });

  test("on a wide screen windows and panels have no entries", async () => {
    const { ann } = await phone();
    const { page } = await world.open({ as: ann, at: "#/c/lab", viewport: { width: 1280, height: 800 } });
    const before = await length(page);
    await page.locator("header.bar").getByRole("button", { name: "Search" }).click();
    await page.locator("main[data-panel=search]").waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await length(page)).toBe(before);
  });
});
