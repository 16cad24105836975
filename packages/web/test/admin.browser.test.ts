import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type Client, eventually } from "../../server/test/support/servers/test-server.ts";
import { auditLines, staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

const SHOTS = process.env.PARLEY_TEST_SHOTS;

describe("administration and agents in a browser", () => {
  const world = eachServer();

  async function open(as: Client, name: string, window: string, options = {}): Promise<Locator> {
    const visit = await world.open({ as, ...options });
    return visit.openWindow(name, window);
  }

  test("a moderator hears of a report, and gets from there to the reports by the keyboard", async () => {
    const [ana, bob] = [await world.server.user("ana"), await world.server.user("bob")];
    const visit = await world.open({ as: await staff(world.server, "mona", 1) });
    const { body } = await ana.post("/api/messages", { channel_slug: "general", content: "buy now" });
    await bob.post(`/api/messages/${body.message_id}/report`, { reason: "it is spam" });
    await visit.page.getByRole("button", { name: "Notifications, 1 unread" }).click();
    const panel = visit.page.getByRole("region", { name: "Notifications" });
    await panel.getByText("A message was reported").waitFor();
    await panel.getByRole("button", { name: "Open the reports" }).focus();
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("dialog", { name: "Administration" }).getByText("it is spam").waitFor();
    await panel.waitFor({ state: "detached" });
  });

  test("open reports have a badge beside the channels, on all devices of all staff but the reported, until they are closed", async () => {
    const bob = await world.server.user("bob");
    const [mona, rude, ruth] = [
      await staff(world.server, "mona", 1),
      await staff(world.server, "rude", 1),
      await staff(world.server, "ruth", 3),
    ];
    const { body } = await rude.post("/api/messages", { channel_slug: "general", content: "rude words" });
    const phone = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;
    const desk = await world.open({ as: mona });
    const mobile = await world.open({ as: mona, ...phone });
    const admin = await world.open({ as: ruth, locale: "zh-CN" });
    const reported = await world.open({ as: rude });
    const badge = ({ page }: typeof desk) =>
      page.locator("nav.sidebar").getByRole("button", { name: /^(Reports|举报)/ });
    expect(await badge(desk).count()).toBe(0);
    await bob.post(`/api/messages/${body.message_id}/report`, { reason: "it is rude" });
    await desk.page.getByRole("button", { name: "Reports : 1 open" }).waitFor();
    await badge(admin).waitFor();
    const menu = mobile.page.getByRole("button", { name: /^Open the channel list \(Notifications: 1 unread\)/ });
    await menu.waitFor();
    await menu.click();
    await badge(mobile).waitFor();
    expect(await axeProblems(mobile.page)).toEqual([]);
    expect(await mobile.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (SHOTS !== undefined) await mobile.page.screenshot({ path: `${SHOTS}/reports-badge.png` });
    // By keyboard to the reports. The reported moderator sees none, and hears nothing.
    await badge(desk).focus();
    await desk.page.keyboard.press("Enter");
    const card = desk.page.getByRole("dialog", { name: "Administration" }).locator(".card");
    await card.getByText("it is rude").waitFor();
    const own = await reported.openWindow("rude", "Administration");
    await own.getByText("No reports").waitFor();
    expect(await badge(reported).count()).toBe(0);
    await reported.page.getByRole("button", { name: "Notifications", exact: true }).waitFor({ state: "attached" });
    await card.getByRole("button", { name: "Resolve" }).click();
    for (const visit of [desk, mobile, admin]) await badge(visit).waitFor({ state: "detached" });
    for (const { page } of [desk, mobile])
      await page.getByRole("button", { name: "Notifications", exact: true }).waitFor({ state: "attached" });
  });

  test("a moderator closes reports, on a phone, too, and sees no other tab", async () => {
    const [ana, mod] = [await world.server.user("ana"), await staff(world.server, "mona", 1)];
    for (const content of ["buy <b>now</b>", "harmless"]) {
      const { body } = await ana.post("/api/messages", { channel_slug: "general", content });
      await mod.post(`/api/messages/${body.message_id}/report`, { reason: `about ${content}` });
    }
    const dialog = await open(mod, "mona", "Administration", { viewport: { width: 360, height: 640 } });
    const card = (text: string) => dialog.locator(".card", { hasText: text });
    await card("buy <b>now</b>").getByLabel("Note").fill("spam");
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    expect(await dialog.page().evaluate("document.documentElement.scrollWidth")).toBe(360);
    await card("buy <b>now</b>").getByRole("button", { name: "Resolve" }).click();
    await card("buy <b>now</b>").getByText("Resolved: mona · spam").waitFor();
    await card("harmless").getByRole("button", { name: "Delete message" }).click();
    const sure = dialog.page().getByRole("dialog", { name: "ana", exact: true });
    await sure.getByRole("button", { name: "Delete message" }).click();
    await card("about harmless").getByText("This message was deleted.").waitFor();
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    await card("harmless").getByRole("button", { name: "Dismiss" }).click();
    await card("harmless").getByText("Dismissed: mona").waitFor();
    expect(await dialog.getByRole("tab").allInnerTexts()).toEqual(["Reports"]);
    await dialog.getByLabel("Show").selectOption("open");
    await dialog.getByLabel("Show").selectOption("resolved");
    await card("spam").waitFor();
    expect(await dialog.locator(".card").count()).toBe(1);
  });

  test("a site owner finds, suspends and promotes users, and each act is in the audit log", async () => {
    const admin = await staff(world.server, "rosa", 3);
    await world.server.user("ana");
    await world.server.user("andy");
    const dialog = await open(admin, "rosa", "Administration");
    await dialog.getByRole("tab", { name: "Reports" }).focus();
    await dialog.page().keyboard.press("ArrowRight");
    await dialog.getByLabel("Username starts with").fill("an");
    await dialog.locator(".card", { hasText: "andy" }).waitFor();
    expect(await dialog.locator(".card").count()).toBe(2);
    const manage = (name: string) => dialog.getByRole("button", { name: `Manage ${name}` }).click();
    await manage("ana");
    await dialog.getByLabel("Suspend ana").selectOption({ label: "for a week" });
    const sure = dialog.page().getByRole("dialog", { name: "ana", exact: true });
    await sure.getByText("They'll be logged out everywhere immediately.").waitFor();
    await sure.getByText("Suspend ana for a week?").waitFor();
    await sure.getByRole("button", { name: "Suspend ana for a week" }).click();
    await dialog.locator(".card", { hasText: "ana" }).getByText("Suspended until").waitFor();
    await manage("andy");
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    await dialog.getByLabel("Level of andy").selectOption({ label: "Moderator" });
    const change = dialog.page().getByRole("dialog", { name: "Level of andy" });
    await change.getByText("Change andy from User to Moderator?").waitFor();
    await change.getByRole("button", { name: "Cancel" }).click();
    await manage("andy");
    expect(await dialog.getByLabel("Level of andy").inputValue()).toBe("0");
    await dialog.getByLabel("Level of andy").selectOption({ label: "Moderator" });
    await change.getByRole("button", { name: "Change to Moderator" }).click();
    await change.waitFor({ state: "detached" });
    await dialog.locator(".card", { hasText: "andy" }).getByText("Moderator").waitFor();
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    await dialog.getByLabel("Show").selectOption("Suspended");
    await dialog.locator(".card", { hasText: "andy" }).waitFor({ state: "detached" });
    await dialog.locator(".card", { hasText: "Suspended until" }).waitFor();
    expect(await dialog.locator(".card").count()).toBe(1);
    await manage("ana");
    await dialog.getByRole("button", { name: "Lift suspension" }).click();
    await dialog.getByText("Suspended until").waitFor({ state: "detached" });
    await dialog.getByRole("tab", { name: "Audit log" }).click();
    const lines = dialog.locator(".lines li");
    await lines.nth(2).waitFor();
    expect(await lines.count()).toBe((await auditLines(world.server)).length);
    expect(await lines.last().innerText()).toMatch(/rosa suspended ana/);
    await dialog.getByLabel("Action", { exact: true }).selectOption({ label: "changed the level of" });
    // The list is empty while it loads.
    await lines.filter({ hasText: "ana" }).first().waitFor({ state: "detached" });
    await lines.first().waitFor();
    expect(await lines.allInnerTexts()).toEqual([expect.stringContaining("rosa changed the level of andy")]);
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
  });

  test("an administrator finds a channel by a part of its name or its owner, and sorts them, on a phone, too", async () => {
    const [ana, ruth] = [await world.server.user("ana"), await staff(world.server, "ruth", 2)];
    for (const name of ["Old Harbour", "boats", "Anchors"]) await ana.post("/api/channels", { name });
    await ana.post("/api/messages", { channel_slug: "boats", content: "one" });
    const phone = { viewport: { width: 320, height: 640 }, colorScheme: "dark" } as const;
    const dialog = await open(ruth, "ruth", "Administration", phone);
    await dialog.getByRole("tab", { name: "Channels" }).click();
    const names = () => dialog.locator(".lines .name").allInnerTexts();
    const listed = (...expected: string[]) =>
      eventually(`the list has ${expected}`, async () => JSON.stringify(await names()) === JSON.stringify(expected));
    await listed("Anchors", "boats", "Old Harbour", "general");
    // By keyboard, with a space within.
    await dialog.getByLabel("Name or owner").focus();
    await dialog.page().keyboard.type("old h");
    await listed("Old Harbour");
    await dialog.getByLabel("Name or owner").fill("ana");
    await dialog.getByLabel("Order").selectOption("By name");
    await listed("Anchors", "boats", "Old Harbour");
    await dialog.getByLabel("Order").selectOption("Most messages first");
    await eventually("boats are first", async () => (await names())[0] === "boats");
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    expect(await dialog.page().evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await dialog.getByLabel("Name or owner").fill("no such channel");
    await dialog.getByText("No channels.").waitFor();
  });

  test("a channel is held with a reason, and released", async () => {
    const admin = await staff(world.server, "rosa", 3);
    const { body } = await admin.post("/api/channels", { name: "Kitchen" });
    const heldUntil = async () => (await admin.get(`/api/channels/${body.channel_id}`)).body.channel.held_until;
    const dialog = await open(admin, "rosa", "Administration");
    await dialog.getByRole("tab", { name: "Channels" }).click();
    await dialog.getByLabel("Show").selectOption("Not deleted");
    await dialog.getByRole("button", { name: "Hold: Kitchen" }).click();
    const asking = dialog.page().getByRole("dialog", { name: "Hold: Kitchen" });
    await asking.getByLabel("Until the end of").fill("2999-12-31");
    await asking.getByLabel("Reason").fill("a lawsuit");
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    await asking.getByRole("button", { name: "Hold" }).click();
    await dialog.getByText("a lawsuit").waitFor();
    expect(await heldUntil()).toMatch(/^(2999-12-31|3000-01-01)T/);
    await dialog.getByRole("button", { name: "End the hold: Kitchen" }).click();
    await dialog.getByRole("button", { name: "Hold: Kitchen", exact: true }).waitFor();
    expect(await heldUntil()).toBeNull();
  });

  test("a deleted channel is restored, and health charts update live", async () => {
    const admin = await staff(world.server, "rosa", 3);
    const { body } = await admin.post("/api/channels", { name: "Kitchen" });
    await admin.delete(`/api/channels/${body.channel_id}`);
    const dialog = await open(admin, "rosa", "Administration", { colorScheme: "dark" });
    await dialog.getByRole("tab", { name: "Channels" }).click();
    // All channels are listed until a kind is chosen.
    await dialog.getByRole("button", { name: "Hold: general" }).waitFor();
    await dialog.getByLabel("Show").selectOption("Deleted channels");
    await dialog.getByRole("button", { name: "Hold: general" }).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Restore: Kitchen" }).click();
    await dialog.getByText("No channels.").waitFor();
    await dialog.page().locator(".sidebar").getByText("Kitchen").waitFor();
    for (const [tab, empty] of [
      ["For sale", "This server doesn't accept payments"],
      ["Payments", "No payments received yet."],
      ["Payouts", "No payouts."],
    ] as const) {
      await dialog.getByRole("tab", { name: tab, exact: true }).click();
      await dialog.getByText(empty).waitFor();
      expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    }
    // The timer of the server does this every ten seconds.
    for (let samples = 0; samples < 3; samples++) world.server.ctx.metrics.health.sample();
    await dialog.getByRole("tab", { name: "Health" }).click();
    await dialog.getByText("Messages per second").waitFor();
    await dialog.locator(".chart polyline[points*=' ']").first().waitFor({ state: "attached" });
    expect(await dialog.locator(".chart").count()).toBe(8);
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
  });

  test("an owner pauses their agent, creates a new key and revokes it", async () => {
    const ana = await world.server.user("ana");
    const scout = await world.server.agent("Scout");
    const { id } = await world.server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", "ana")
      .executeTakeFirstOrThrow();
    await world.server.ctx.db
      .updateTable("agents")
      .set({ owner_user_id: id, owner_verified: 1 })
      .where("id", "=", scout.agentId)
      .execute();
    const dialog = await open(ana, "ana", "Your agents");
    await dialog.getByRole("heading", { name: "Scout" }).waitFor();
    expect(await dialog.getByRole("link", { name: "Get a key for your agent" }).getAttribute("href")).toBe("/claim");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await dialog.getByText("paused").waitFor();
    const refused = await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    expect(refused.status).toBe(403);
    await dialog.getByRole("button", { name: "Resume" }).click();
    await dialog.getByText("active", { exact: true }).waitFor();
    await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
    await dialog.getByRole("button", { name: "New key" }).click();
    const rotating = dialog.page().getByRole("dialog", { name: "New key for Scout" });
    await rotating.getByLabel("Old keys expire").selectOption({ label: "in an hour" });
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    await rotating.getByRole("button", { name: "Create key" }).click();
    const key = await dialog.getByLabel("New key", { exact: true }).inputValue();
    expect(key).toStartWith("ply_");
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    // The old key still works, as chosen; each key is revoked separately.
    expect((await scout.get("/api/agenthub/mentions")).status).toBe(200);
    const sure = dialog.page().getByRole("dialog", { name: "Scout", exact: true });
    const revoke = dialog.getByRole("button", { name: /^Revoke/ });
    // The list is loaded again after the key is shown.
    await revoke.nth(1).waitFor();
    expect(await revoke.count()).toBe(2);
    await dialog.getByRole("button", { name: `Revoke: ${key.slice(0, 16)}` }).click();
    await sure.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("1 inactive key").waitFor();
    await dialog.getByRole("link", { name: "#general" }).waitFor();
    await revoke.click();
    await sure.getByText("This is the agent's last key").waitFor();
    await sure.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("No active keys.").waitFor();
    expect((await scout.get("/api/agenthub/mentions")).status).toBe(401);
    const answer = await world.server.guest.get("/api/agenthub/mentions", {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(401);
    await dialog.getByRole("button", { name: "Give up ownership" }).click();
    await sure.getByRole("button", { name: "Give up ownership" }).click();
    await dialog.getByText("You don't have any agents yet.").waitFor();
  });
});
