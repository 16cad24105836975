import { describe, expect, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { eachHall } from "../support/hall.ts";

describe("unread from here in a browser", () => {
  const world = eachServer();
  const hall = eachHall(world);
  const { say } = hall;
  const reading = async () => {
    const { last_read_seq, unread_from_seq, unread_count } = (await hall.ben.get(`/api/channels/${hall.id}`)).body
      .channel;
    return [last_read_seq, unread_from_seq, unread_count];
  };
  const isRead = async (): Promise<boolean> => (await reading())[2] === 0;
  const linkTo = ({ page }: ChatVisit) => page.getByRole("link", { name: /Hall/ }).first();

  test("what is marked stays unread while it is shown, on all pages, until it is opened again", async () => {
    for (let n = 1; n <= 5; n += 1) await say(`number ${n}.`);
    const visit = await world.open({ as: hall.ben, at: "#/c/hall" });
    const other = await world.open({ as: hall.ben, at: "#/c/hall" });
    await eventually("all is read", isRead);
    for (const { page } of [visit, other]) await page.clock.install();
    const row = visit.message("number 3.");
    await row.focus();
    await visit.page.keyboard.press("u");
    for (const each of [visit, other]) await linkTo(each).getByText("3", { exact: true }).waitFor();
    await visit.page.locator(".new-line").waitFor();
    for (const each of [visit, other]) await each.runTimers();
    expect(await reading()).toEqual([5, 3, 3]);
    // A message that arrives meanwhile is unread, too.
    await say("number 6.");
    await visit.waitFor("number 6.");
    await visit.runTimers();
    expect(await reading()).toEqual([5, 3, 4]);
    await visit.page.getByRole("link", { name: /general/ }).click();
    await linkTo(visit).click();
    await visit.waitFor("number 6.");
    await eventually("all is read, and the mark is gone", async () => {
      return JSON.stringify(await reading()) === JSON.stringify([6, null, 0]);
    });
    await linkTo(other).getByText("4", { exact: true }).waitFor({ state: "detached" });
  });

  test("the menu of a message marks it, and Escape reads everything", async () => {
    for (let n = 1; n <= 3; n += 1) await say(`number ${n}. @ben`);
    const visit = await world.open({ as: hall.ben, at: "#/c/hall" });
    await eventually("all is read", isRead);
    await visit.act("number 2.", "More", "Unread from here");
    await linkTo(visit).getByText("2", { exact: true }).waitFor();
    expect(await reading()).toEqual([3, 2, 2]);
    // The title counts the mentions among them again.
    await eventually("the title calls", async () => (await visit.page.title()).startsWith("(2)"));
    await visit.field.press("Escape");
    await eventually("all is read", isRead);
    await eventually("nothing calls", async () => !(await visit.page.title()).startsWith("("));
  });

  test("a reply in a thread is marked, and stays unread until the thread is opened again", async () => {
    const root = (await hall.ben.post("/api/messages", { channel_id: hall.id, content: "the root" })).body.message_id;
    for (let n = 1; n <= 3; n += 1) await say(`reply ${n}.`, { thread_root_id: root });
    const unread = async () => (await hall.ben.get("/api/threads?unread=true")).body.threads[0]?.unread_count ?? 0;
    const visit = await world.open({ as: hall.ben, at: `#/c/hall/t/${root}`, viewport: { width: 1280, height: 800 } });
    await visit.waitFor("reply 3.");
    await eventually("all is read", async () => (await unread()) === 0);
    await visit.page.clock.install();
    const reply = visit.page.locator(".side.thread article.message", { hasText: "reply 2." });
    await reply.focus();
    await visit.page.keyboard.press("u");
    await eventually("two are unread", async () => (await unread()) === 2);
    await visit.page.locator(".side.thread .new-line").waitFor();
    await visit.runTimers();
    expect(await unread()).toBe(2);
    await visit.page.getByRole("button", { name: "Close the thread" }).click();
    await visit.page.locator(".side.thread").waitFor({ state: "detached" });
    await visit.page.evaluate(`location.hash = "#/c/hall/t/${root}"`);
    await eventually("all is read", async () => (await unread()) === 0);
  });
});
