import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { Finger, PHONE } from "../support/touch.ts";

describe("threads in a browser", () => {
  const world = eachServer();
  let ana: Client;
  let ben: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
  });

  const say = async (by: Client, content: string, more: object = {}): Promise<number> =>
    (await by.post("/api/messages", { channel_slug: "general", content, ...more })).body.message_id;
  const reply = (by: Client, rootId: number, content: string, more: object = {}) =>
    say(by, content, { thread_root_id: rootId, ...more });
  const panelOf = ({ page }: ChatVisit): Locator => page.getByRole("complementary", { name: "Thread", exact: true });
  const fieldOf = (visit: ChatVisit): Locator => panelOf(visit).getByLabel("Reply in the thread in #general");
  const inChannel = ({ page }: ChatVisit, text: string): Locator =>
    page.locator("#conversation article.message", { hasText: text });
  const threadsLink = ({ page }: ChatVisit): Locator => page.getByRole("link", { name: /^Threads/ });
  const unreadOf = async (user: Client, rootId: number): Promise<number> =>
    (await user.get(`/api/messages/${rootId}/thread`)).body.root.thread.unread_count;
  const hashOf = ({ page }: ChatVisit): string => new URL(page.url()).hash;

  test("a reply in a thread is under its root, not in the channel, and its line opens the thread", async () => {
    const rootId = await say(ana, "Which fountain?");
    await say(ana, "Something else.");
    const visit = await world.open({ as: ana });
    const { page } = visit;
    await visit.act("Which fountain?", "Reply in thread");
    const panel = panelOf(visit);
    await panel.getByText("No replies yet").waitFor();
    expect(hashOf(visit)).toBe(`#/c/general/t/${rootId}`);
    await eventually("the field has the focus", () => page.evaluate("document.activeElement.id === 'thread-text'"));
    await fieldOf(visit).fill("The old one.");
    await fieldOf(visit).press("Enter");
    await panel.locator("article.message:not(.pending)", { hasText: "The old one." }).waitFor();
    await panel.getByText("1 reply").waitFor();
    // The channel hears of it without showing it.
    await reply(ben, rootId, "The new one.");
    await panel.getByText("The new one.", { exact: true }).waitFor();
    const line = inChannel(visit, "Which fountain?").locator(".thread-line");
    await line.getByText("2 replies").waitFor();
    expect(await inChannel(visit, "The new one.").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await panel.getByRole("button", { name: "Close the thread" }).click();
    await panel.waitFor({ state: "detached" });
    await line.click();
    await panel.getByText("The old one.").waitFor();
    // A reload shows the same.
    await page.reload();
    await panel.getByText("The new one.").waitFor();
    await line.getByText("2 replies").waitFor();
    expect(await inChannel(visit, "The old one.").count()).toBe(0);
  });

  test("who types in a thread is shown there, and not in the channel", async () => {
    const rootId = await say(ana, "Which fountain?");
    const visit = await world.open({ as: ana, at: `#/c/general/t/${rootId}` });
    const other = await world.open({ as: ben, at: `#/c/general/t/${rootId}` });
    const inChannelOf = ({ page }: ChatVisit) => page.locator("#conversation .typing");
    await panelOf(visit).getByText("No replies yet").waitFor();
    await fieldOf(other).pressSequentially("hm");
    await panelOf(visit).locator(".typing").getByText("ben is typing").waitFor();
    expect(await inChannelOf(visit).innerText()).toBe("");
    await other.page.locator("#text").pressSequentially("hm");
    await inChannelOf(visit).getByText("ben is typing").waitFor();
    expect(await panelOf(visit).locator(".typing").innerText()).toBe("");
  });

  test("a reply that is also sent to the channel says there that it is from a thread, and leads to it", async () => {
    const rootId = await say(ana, "Which fountain?");
    const visit = await world.open({ as: ana, at: `#/c/general/t/${rootId}` });
    await panelOf(visit).getByLabel("Also send to #general").check();
    await fieldOf(visit).fill("All of them.");
    await fieldOf(visit).press("Enter");
    const shown = inChannel(visit, "All of them.");
    await shown.locator(".in-thread").waitFor();
    // It counts for the next message only.
    expect(await panelOf(visit).getByLabel("Also send to #general").isChecked()).toBe(false);
    await panelOf(visit).getByRole("button", { name: "Close the thread" }).click();
    // The list moves while the panel gives its room back: a link that moves between press and release is not followed.
    await visit.placeOf(shown);
    await shown.getByText("Replied in a thread").click();
    await panelOf(visit).locator(".highlighted", { hasText: "All of them." }).waitFor();
  });

  test("followers see what is unread, and reading the thread clears it; others are not bothered", async () => {
    const cleo = await world.server.user("cleo");
    const rootId = await say(ana, "Which fountain?");
    await reply(ben, rootId, "The old one.");
    const visit = await world.open({ as: ana });
    const other = await world.open({ as: cleo });
    const line = inChannel(visit, "Which fountain?").locator(".thread-line");
    await line.getByText("1 new").waitFor();
    await threadsLink(visit).locator(".count").getByText("1", { exact: true }).waitFor();
    await reply(ben, rootId, "Or the new one.");
    await line.getByText("2 new").waitFor();
    await inChannel(other, "Which fountain?").locator(".thread-line").getByText("2 replies").waitFor();
    expect(
      await inChannel(other, "Which fountain?")
        .getByText(/\d new/)
        .count(),
    ).toBe(0);
    expect(await threadsLink(other).locator(".count").count()).toBe(0);
    // Seeing the channel reads the channel, but not the thread.
    const general = visit.page.locator(".channel-link", { hasText: "general" });
    await general.locator(".count").waitFor({ state: "detached" });
    expect(await unreadOf(ana, rootId)).toBe(2);
    await line.click();
    await panelOf(visit).locator(".new-line").waitFor();
    await line.getByText("2 new").waitFor({ state: "detached" });
    await threadsLink(visit).locator(".count").waitFor({ state: "detached" });
    expect(await unreadOf(ana, rootId)).toBe(0);
  });

  test("a thread with more unread replies than a page opens at the first of them", async () => {
    const rootId = await say(ana, "Which fountain?");
    await reply(ana, rootId, "I have read this.");
    const others = [ben, await world.server.user("cleo"), await world.server.user("dan")];
    for (let n = 1; n <= 75; n += 1) await reply(others[n % 3] ?? ben, rootId, `Fountain ${n}.`);
    const visit = await world.open({ as: ana, at: `#/c/general/t/${rootId}` });
    const panel = panelOf(visit);
    await panel.getByText("Fountain 1.", { exact: true }).waitFor();
    const line = panel.locator(".new-line");
    await line.waitFor();
    const list = await visit.placeOf(panel.locator(".scroller"));
    const { y } = await visit.placeOf(line);
    expect(y).toBeGreaterThan(list.y);
    expect(y).toBeLessThan(list.y + list.height);
    await panel.getByText("I have read this.").waitFor();
    expect(await unreadOf(ana, rootId)).toBeGreaterThan(50);
    // The end is a press away, and reads the rest.
    await panel.getByRole("button", { name: /newest messages/ }).click();
    await panel.getByText("Fountain 75.", { exact: true }).waitFor();
    await eventually("it is read", async () => (await unreadOf(ana, rootId)) === 0);
  });

  test("the list of threads has those with unread replies first, and follows what happens", async () => {
    const first = await say(ana, "About fountains");
    const second = await say(ana, "About bridges");
    await reply(ben, first, "Wet.");
    await reply(ben, second, "Long.");
    const visit = await world.open({ as: ana, at: "#/threads" });
    const { page } = visit;
    const entries = page.locator(".threads-list .message-entry");
    await eventually("the newest is first", async () => (await entries.first().innerText()).includes("About bridges"));
    expect(await axeProblems(page)).toEqual([]);
    await ana.post(`/api/messages/${second}/thread/read`, {});
    await eventually("the unread one is first", async () => (await entries.first().innerText()).includes("Wet."));
    await entries.first().click();
    await panelOf(visit).getByText("Wet.").waitFor();
    expect(hashOf(visit)).toBe(`#/c/general/t/${first}`);
  });

  test("links to a reply open its thread at the reply, also one that names only the message", async () => {
    const rootId = await say(ana, "Which fountain?");
    const ids: number[] = [];
    for (let n = 1; n <= 70; n++) ids.push(await reply(ben, rootId, `number ${n}.`));
    const visit = await world.open({ as: ana, at: `#/c/general/${ids[4]}` });
    const panel = panelOf(visit);
    await panel.locator(".highlighted", { hasText: "number 5." }).waitFor();
    expect(hashOf(visit)).toBe(`#/c/general/t/${rootId}/${ids[4]}`);
    for (const near of ["Which fountain?", "number 6."]) await panel.getByText(near, { exact: true }).waitFor();
    expect(await panel.getByText("number 70.", { exact: true }).count()).toBe(0);
    // Search leads there, too.
    await panel.getByRole("button", { name: "Close the thread" }).click();
    await visit.page.getByRole("button", { name: "Search", exact: true }).first().click();
    await visit.page.getByRole("searchbox").fill("number 33");
    await visit.page.keyboard.press("Enter");
    await visit.page.locator(".message-entry", { hasText: "in a thread" }).first().click();
    await panel.locator(".highlighted", { hasText: "number 33." }).waitFor();
  });

  test("a keyboard opens a thread, writes, and closes it; the root has the focus again", async () => {
    await say(ana, "Which fountain?");
    const visit = await world.open({ as: ana });
    const { page } = visit;
    await inChannel(visit, "Which fountain?").focus();
    await page.keyboard.press("t");
    await eventually("the field has the focus", () => page.evaluate("document.activeElement.id === 'thread-text'"));
    await page.keyboard.type("By hand.");
    await page.keyboard.press("Enter");
    await panelOf(visit).locator("article.message:not(.pending)", { hasText: "By hand." }).waitFor();
    await page.keyboard.type("A draft");
    await page.keyboard.press("Escape");
    await panelOf(visit).waitFor({ state: "detached" });
    await eventually("the root has the focus", () =>
      page.evaluate("document.activeElement.matches('#conversation article.message')"),
    );
    await page.keyboard.press("t");
    await eventually("the draft is kept", async () => (await fieldOf(visit).inputValue()) === "A draft");
    expect(await visit.field.inputValue()).toBe("");
  });

  test("a locked thread takes replies of admins only, and a thread whose root was deleted takes none", async () => {
    const { body } = await ana.post("/api/channels", { name: "Hall" });
    await ben.post(`/api/channels/${body.channel_id}/join`, {});
    const root = (await ana.post("/api/messages", { channel_slug: "hall", content: "Rules" })).body.message_id;
    await ben.post("/api/messages", { channel_slug: "hall", content: "Why?", thread_root_id: root });
    const at = `#/c/hall/t/${root}`;
    const [owner, member] = [await world.open({ as: ana, at }), await world.open({ as: ben, at })];
    await panelOf(owner).getByRole("button", { name: "Lock thread" }).click();
    await panelOf(member).getByText("This thread is locked.").waitFor();
    expect(await panelOf(member).locator("textarea").count()).toBe(0);
    await panelOf(owner).getByRole("button", { name: "Unlock thread" }).waitFor();
    expect(await panelOf(owner).locator("textarea").count()).toBe(1);
    await panelOf(member).getByRole("button", { name: "Unfollow thread" }).click();
    await panelOf(member).getByRole("button", { name: "Follow thread" }).waitFor();
    await ana.delete(`/api/messages/${root}`);
    await panelOf(owner).getByText("The first message was deleted").waitFor();
    await panelOf(owner).getByText("Why?").waitFor();
  });

  test("on a phone a thread fills the screen, in dark mode, too, and the back button returns to the channel", async () => {
    await say(ana, "Which fountain?");
    const visit = await world.open({ as: ana, ...PHONE, viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    const { page } = visit;
    const finger = await Finger.on(page);
    await visit.placeOf(inChannel(visit, "Which fountain?"));
    const sheet = page.getByRole("dialog");
    await finger.hold(inChannel(visit, "Which fountain?").locator(".body"), sheet);
    await finger.lift();
    await finger.tap(sheet.getByRole("button", { name: "Reply in thread" }));
    await panelOf(visit).getByText("No replies yet").waitFor();
    const box = await panelOf(visit).boundingBox();
    expect([box?.x, box?.width, box?.height]).toEqual([0, 360, 740]);
    await fieldOf(visit).fill("By thumb.");
    await finger.tap(panelOf(visit).getByRole("button", { name: "Send", exact: true }));
    await panelOf(visit).locator("article.message:not(.pending)", { hasText: "By thumb." }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.goBack();
    await panelOf(visit).waitFor({ state: "detached" });
    await inChannel(visit, "Which fountain?").locator(".thread-line").getByText("1 reply").waitFor();
  });
});

describe("a thread that cannot be read or written to", () => {
  const world = eachServer(undefined, [400, 404]);

  test("says that it does not exist", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana, at: "#/c/general/t/999999" });
    await visit.waitFor("This thread doesn't exist");
    expect(await axeProblems(visit.page)).toEqual([]);
  });

  test("shows a reply that waits for the connection, which the channel does not show", async () => {
    const ana = await world.server.user("ana");
    const { message_id } = (await ana.post("/api/messages", { channel_slug: "general", content: "Here" })).body;
    const visit = await world.open({ as: ana, at: `#/c/general/t/${message_id}` });
    const { page } = visit;
    const panel = page.getByRole("complementary", { name: "Thread", exact: true });
    await panel.getByText("No replies yet").waitFor();
    await visit.goOffline();
    const field = panel.getByLabel("Reply in the thread in #general");
    await field.fill("Later.");
    await field.press("Enter");
    await panel.locator(".pending", { hasText: "Later." }).waitFor();
    expect(await page.locator("#conversation .pending").count()).toBe(0);
    await page.context().setOffline(false);
    await panel.locator("article.message:not(.pending)", { hasText: "Later." }).waitFor();
  });
});
