import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Client, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

describe("channel settings in a browser", () => {
  const world = eachServer(startTestServer, [404]);
  let ann: Client;
  let ben: Client;
  let id: number;

  beforeEach(async () => {
    [ann, ben] = [await world.server.user("ann"), await world.server.user("ben")];
    id = (await ann.post("/api/channels", { name: "Garden" })).body.channel_id;
    await ben.post(`/api/channels/${id}/join`);
  });

  async function settings(as: Client, options = {}) {
    const { page } = await world.open({ as, at: "#/c/garden", ...options });
    await page.getByRole("button", { name: "Settings" }).click();
    const dialog = page.getByRole("dialog", { name: "Settings for Garden" });
    await dialog.waitFor();
    return { page, dialog };
  }
  const sure = (page: Page) => page.getByRole("dialog", { name: "Garden", exact: true });
  const record = async (as = ann) => (await as.get(`/api/channels/${id}`)).body.channel;

  test("the owner makes the channel private and public again, on a phone, and sees no price without payments", async () => {
    const { page, dialog } = await settings(ann, { viewport: { width: 390, height: 760 } });
    expect(await dialog.getByLabel("Price to join").count()).toBe(0);
    await dialog.getByLabel("Private").check();
    await dialog.getByLabel("New password").fill("open sesame");
    expect(await axeProblems(page, "dialog")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await record()).toMatchObject({ is_private: true, has_password: true });
    await page.getByRole("button", { name: "Settings" }).click();
    await dialog.getByLabel("Private").uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await record()).toMatchObject({ is_private: false, has_password: false });
  });

  test("after the name in links changes, viewers stay in the channel", async () => {
    const bens = (await world.open({ as: ben, at: "#/c/garden" })).page;
    await bens.getByRole("heading", { name: "Garden", level: 2 }).waitFor();
    const { page, dialog } = await settings(ann);
    const slug = dialog.getByLabel("Link name");
    expect(await slug.inputValue()).toBe("garden");
    await slug.fill("No Slug");
    await dialog.getByRole("button", { name: "Save" }).click();
    expect(await page.evaluate("document.activeElement.matches('[name=channel_slug]:invalid')")).toBe(true);
    await slug.fill("rose-garden");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await record()).channel_slug).toBe("rose-garden");
    for (const each of [page, bens]) {
      await each.waitForURL(/#\/c\/rose-garden$/);
      await each.getByRole("heading", { name: "Garden", level: 2 }).waitFor();
    }
  });

  test("the owner downloads a copy, then transfers the channel to an existing user", async () => {
    await ben.post("/api/messages", { channel_id: id, content: "roses" });
    const { page, dialog } = await settings(ann, { colorScheme: "dark" });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download a copy of the channel" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("garden.json");
    const copy = await Bun.file(await file.path()).json();
    expect(copy.complete).toBe(true);
    expect(JSON.stringify(copy)).toContain("roses");
    await dialog.locator("summary", { hasText: "Transfer ownership" }).click();
    const name = dialog.getByLabel("Username of the new owner");
    const go = dialog.getByRole("button", { name: "Transfer ownership" });
    await name.fill("nobody-there");
    await go.click();
    await sure(page).getByRole("button", { name: "Transfer ownership" }).click();
    await dialog.locator(".error", { hasText: /./ }).waitFor();
    await name.fill("ben");
    await go.click();
    await sure(page).getByText("Make ben the owner of Garden?").waitFor();
    expect(await axeProblems(page, "dialog")).toEqual([]);
    await sure(page).getByRole("button", { name: "Transfer ownership" }).click();
    await page.getByText("ben now owns the channel.").waitFor();
    expect(await record()).toMatchObject({ owner_username: "ben", my_role: "admin" });
    expect(await record(ben)).toMatchObject({ my_role: "owner" });
  });

  test("a question that is asked again while its dialog closes is shown again", async () => {
    const { page, dialog } = await settings(ben);
    const leave = dialog.getByRole("button", { name: "Leave channel" });
    await leave.click();
    await sure(page).waitFor();
    // The browser reports the closing a moment after it happens.
    await page.evaluate(`(() => {
      document.querySelector("dialog:has(.answers)").close();
      const buttons = document.querySelectorAll("dialog:not(:has(.answers)) button");
      [...buttons].find(({ textContent }) => textContent === "Leave channel").click();
    })()`);
    await sure(page).getByRole("button", { name: "Cancel" }).click();
    await sure(page).waitFor({ state: "detached" });
  });

  test("leaving asks for confirmation, and cancelling changes nothing and restores the focus", async () => {
    const { page, dialog } = await settings(ben);
    const leave = dialog.getByRole("button", { name: "Leave channel" });
    await leave.click();
    await page.keyboard.press("Escape");
    await sure(page).waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Leave channel");
    expect(await record(ben)).toMatchObject({ my_role: "member" });
    await page.keyboard.press("Enter");
    await sure(page).getByRole("button", { name: "Leave channel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await record(ben)).toMatchObject({ my_role: null });
  });
});
