import { describe, expect, test } from "bun:test";
import type { WebSocketRoute } from "playwright-core";
import { Client, eventually, logIn } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const EVM = "0x52908400098527886E0F7030069857D2E4169EE7";

describe("account security in a browser", () => {
  const world = eachServer();

  test("shows an administrator's act immediately until it is dismissed, and keeps it in the profile", async () => {
    const ana = await world.server.user("ana");
    const ruth = await staff(world.server, "ruth", 2);
    const visit = await world.open({ as: ana });
    const { page } = visit;
    const notices = page.getByRole("region", { name: "Account security" });
    await ruth.put("/api/user/ana", { evm_address: EVM });
    await notices.getByText("One of your wallet addresses was changed.").waitFor();
    await notices.getByText("by administrator ruth").waitFor();
    expect(await axeProblems(page, ".security")).toEqual([]);

    // Missed while the page was closed, and loaded when it opens.
    await page.reload();
    await visit.live();
    await notices.getByText(EVM).waitFor();
    await notices.getByRole("button", { name: "Dismiss" }).click();
    await notices.waitFor({ state: "detached" });
    await page.reload();
    await visit.live();
    const dialog = await visit.openWindow("ana", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByText("Security history").click();
    await dialog.getByText("by administrator ruth").waitFor();
    expect(await notices.count()).toBe(0);
    expect(await axeProblems(page, "dialog")).toEqual([]);
  });

  test("leaves out what this session just did, which the others show, also after a reload", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana });
    const notices = ({ page }: typeof visit) => page.getByRole("region", { name: "Account security" });
    // Another browser logs in: this one shows a notice, and that one does not.
    const other = await world.open({ as: await logIn(world.server.url, "ana") });
    await notices(visit).getByText("Someone logged in to your account from a new browser.").waitFor();
    const rest = "One of your wallet addresses was changed.";
    await other.page.evaluate(`fetch("/api/user/ana", {
      method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ evm_address: "${EVM}" }) })`);
    await notices(visit).getByText(rest).waitFor();
    expect(await notices(other).count()).toBe(0);
    // The bell of the other browser leaves out its login and its change; this one counts both.
    await visit.page.getByRole("button", { name: "Notifications, 2 unread" }).waitFor();
    await other.page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
    await other.page.reload();
    await other.live();
    const ruth = await staff(world.server, "ruth", 2);
    await ruth.put("/api/user/ana", { evm_address: null });
    await notices(other).getByText("by administrator ruth").waitFor();
    expect(await notices(other).locator("li").count()).toBe(1);
    await other.page.getByRole("button", { name: "Notifications, 1 unread" }).waitFor();
    // All of it is in the history.
    const dialog = await other.openWindow("ana", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByText("Security history").click();
    await dialog.getByText("Someone logged in to your account from a new browser.").waitFor();
  });

  test("says that the session ended elsewhere while there was no connection", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana });
    await visit.field.waitFor();
    let isCut = false;
    const sockets: WebSocketRoute[] = [];
    await visit.page.routeWebSocket(/\/api\/ws/, (socket) => {
      if (isCut) return void socket.close({ code: 1012 });
      socket.connectToServer();
      sockets.push(socket);
    });
    await visit.page.reload();
    await visit.live();
    isCut = true;
    for (const socket of sockets) await socket.close({ code: 1012 });
    await visit.page.locator(".connection:not([data-state=live])").waitFor({ state: "attached" });
    await new Client(world.server.url, ana.credential).post("/api/auth/logout");
    isCut = false;
    await visit.waitFor("Your session has ended");
    expect(await visit.field.count()).toBe(0);
  });

  test("on a phone marks the button of the list with the notices, and shows a whole address", async () => {
    const ana = await world.server.user("ana");
    const ruth = await staff(world.server, "ruth", 2);
    await ruth.put("/api/user/ana", { evm_address: EVM });
    const { page } = await world.open({ as: ana, viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: /^Open the channel list \(Account security/ }).click();
    const notices = page.getByRole("region", { name: "Account security" });
    await notices.getByText(EVM).waitFor();
    const width = (of: string) => page.evaluate(`document.querySelector(".security").${of}Width`);
    expect(await width("scroll")).toBe(await width("client"));
    await notices.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("button", { name: "Close the channel list" }).click();
    await page.getByRole("button", { name: "Open the channel list", exact: true }).waitFor();
  });

  test("users are blocked and unblocked from messages, from the list of people and in the profile", async () => {
    const [ana, bob] = [await world.server.user("ana"), await world.server.user("bob")];
    const say = (content: string) => bob.post("/api/messages", { channel_slug: "general", content });
    await say("hello from bob");
    const visit = await world.open({ as: ana });
    const blocked = async () => (await ana.get("/api/blocks")).body.blocks.map(({ name }: { name: string }) => name);
    await visit.act("hello from bob", "More", "Block");
    await visit.waitFor("You blocked bob.");
    expect(await blocked()).toEqual(["bob"]);

    const dialog = await visit.openWindow("ana", "Your profile");
    await dialog.getByRole("tab", { name: "Security" }).click();
    await dialog.getByRole("button", { name: "Unblock: bob" }).click();
    await dialog.getByText("You haven't blocked anyone.").waitFor();
    expect(await blocked()).toEqual([]);

    // On another device.
    await ana.put("/api/blocks/bob");
    await dialog.getByRole("button", { name: "Unblock: bob" }).waitFor();
    expect(await axeProblems(visit.page, "dialog")).toEqual([]);
    await visit.page.keyboard.press("Escape");
    await visit.act("hello from bob", "More", "Unblock");
    await eventually("bob is unblocked", async () => (await blocked()).length === 0);
  });
});
