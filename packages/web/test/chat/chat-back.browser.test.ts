import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { upload } from "../../../server/test/support/files/sent-file.ts";
import { eachServer } from "../support/browser-world.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const IMAGES = join(import.meta.dir, "../../../../docs/images");

/** On a phone, Back closes what covers the conversation, one after the other, and then leaves the channel. */
describe("Back on a phone", () => {
  const world = eachServer();

  async function phone() {
    const ann = await world.server.user("ann");
    await ann.post("/api/channels", { name: "Lab" });
    await ann.post("/api/messages", { channel_slug: "lab", content: "The first of the lab." });
    const visit = await world.open({ as: ann, ...PHONE });
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
    await page.goBack();
    await page.locator(".shell[data-menu=open]").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Settings" }).click();
    const settings = page.getByRole("dialog");
    await settings.waitFor();
    await page.goBack();
    await settings.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Settings" }).click();
    await settings.getByRole("button", { name: "Close", exact: true }).click();
    await settings.waitFor({ state: "detached" });
    const picture = await Bun.file(join(IMAGES, "phone.png")).bytes();
    const { body } = await upload(ann, picture, "dot.png");
    await ann.post("/api/messages", { channel_slug: "lab", content: "", file_ids: [body.file.file_id] });
    await page
      .getByRole("button", { name: /dot\.png/ })
      .first()
      .click();
    const viewer = page.locator("dialog[open]");
    await viewer.waitFor();
    await page.goBack();
    await viewer.waitFor({ state: "detached" });
    expect(page.url()).toEndWith("#/c/lab");
    await page.goBack();
    await page.locator("header.bar").getByText("general").waitFor();
  });

  test("after a link that was followed from a panel, it leads back to where the panel was opened", async () => {
    const { ann, page } = await phone();
    await ann.post("/api/messages", { channel_slug: "general", content: "Only the general knows." });
    await page.locator("header.bar").getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("Only the general");
    await page.getByLabel("Only in this channel").uncheck();
    await page.keyboard.press("Enter");
    await page.locator("aside").getByText("Only the general knows.").click();
    await page.locator("header.bar").getByText("general").waitFor();
    await page.goBack();
    await page.locator("header.bar").getByText("Lab").waitFor();
    await page.locator("main[data-panel]").waitFor({ state: "detached" });
    await page.goBack();
    await page.locator("header.bar").getByText("general").waitFor();
  });
});
