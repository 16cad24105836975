import { describe, expect, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";
import { eachHall } from "../support/hall.ts";

/** Runs in the page: the window loses the focus when the line above the first unread message is drawn. */
const LEAVE_AT_ONCE = (how: string) => `
  new MutationObserver((_, observer) => {
    if (document.querySelector(".new-line") === null) return;
    observer.disconnect();
    window.isLeft = true;
    ${how}
  }).observe(document, { childList: true, subtree: true });
`;
/** Two ways in which a page is out of sight. Some phones report only the second. */
const WAYS = {
  "the focus": "document.hasFocus = () => false; dispatchEvent(new Event('blur'));",
  "the screen":
    "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });" +
    "document.dispatchEvent(new Event('visibilitychange'));",
} as const;
const BACK = {
  "the focus": "delete document.hasFocus; dispatchEvent(new Event('focus'))",
  "the screen": "delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))",
} as const;

describe("a page that nobody looks at", () => {
  const world = eachServer();
  const hall = eachHall(world);
  const { say } = hall;
  const unread = async (): Promise<number> =>
    (await hall.ben.get(`/api/channels/${hall.id}`)).body.channel.unread_count;
  /** Opens the page, which loses sight as soon as it shows the unread messages. */
  const openAndLeave = (at: string, way: keyof typeof WAYS): Promise<ChatVisit> => {
    const opened = world.open({ as: hall.ben, at: "#/c/general", viewport: { width: 1200, height: 900 } });
    return opened.then(async (visit) => {
      await visit.page.addInitScript(LEAVE_AT_ONCE(WAYS[way]));
      await visit.page.clock.install();
      // By way of another page: this one would read what is unread before it is left.
      await visit.page.goto("about:blank");
      await visit.page.goto(`${world.server.url}/${at}`);
      await visit.live();
      await eventually("the page is left", () => visit.page.evaluate("window.isLeft === true"));
      return visit;
    });
  };

  for (const way of ["the focus", "the screen"] as const) {
    test(`marks nothing as read that arrives after it lost ${way} while it first loaded`, async () => {
      await say("before one");
      await say("before two");
      const visit = await openAndLeave("#/c/hall", way);
      await say("@ben are you there?");
      await visit.waitFor("are you there?");
      await visit.runTimers();
      expect(await unread()).toBe(3);
      await visit.page.evaluate(BACK[way]);
      await eventually("all is read once ben looks again", async () => (await unread()) === 0);
    });

    test(`marks no reply as read that arrives after it lost ${way} beside an open thread`, async () => {
      const root = (await hall.ben.post("/api/messages", { channel_id: hall.id, content: "the root" })).body.message_id;
      await say("reply one", { thread_root_id: root });
      const visit = await openAndLeave(`#/c/hall/t/${root}`, way);
      await say("@ben reply two", { thread_root_id: root });
      await visit.waitFor("reply two");
      await visit.runTimers();
      const unreadIn = async () => (await hall.ben.get("/api/threads?unread=true")).body.threads[0]?.unread_count ?? 0;
      expect(await unreadIn()).toBe(2);
      await visit.page.evaluate(BACK[way]);
      await eventually("all is read once ben looks again", async () => (await unreadIn()) === 0);
    });
  }
});
