import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { asked } from "../../../server/test/support/cards.ts";
import { type Client, eventually } from "../../../server/test/support/servers/test-server.ts";
import { axeProblems } from "../support/axe.ts";
import { eachServer } from "../support/browser-world.ts";
import type { ChatVisit } from "../support/chat-visit.ts";

const CHANNELS = 12;
const MESSAGES = 200;
/** A slow reader needs this long for a key and what it shows. */
const SECONDS_A_KEY = 2;

describe("catch up in a browser", () => {
  const world = eachServer();
  let ana: Client;
  let ben: Client;

  beforeEach(async () => {
    [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
  });

  const say = async (by: Client, channel_id: number, content: string, more: object = {}) => {
    const { status, body } = await by.post("/api/messages", { channel_id, content, ...more });
    expect(status).toBe(201);
    return body as { message_id: number; seq: number };
  };
  /** Makes channels of ana that ben has joined. */
  const rooms = async (count: number): Promise<number[]> => {
    const ids: number[] = [];
    for (let n = 1; n <= count; n += 1) {
      const name = `Room ${String(n).padStart(2, "0")}`;
      const { channel_id } = (await ana.post("/api/channels", { name })).body;
      await ben.post(`/api/channels/${channel_id}/join`, {});
      ids.push(channel_id);
    }
    return ids;
  };
  const ownChannels = async (): Promise<{ id: number; unread_count: number; unread_from_seq: number | null }[]> =>
    (await ben.get("/api/channels")).body.channels;
  const unread = async (): Promise<number> =>
    (await ownChannels()).reduce((sum, { unread_count }) => sum + (unread_count ?? 0), 0);
  const entries = ({ page }: ChatVisit) => page.locator(".catch-up-entry");
  const active = ({ page }: ChatVisit) => page.locator(".catch-up-entry[data-active] .head .name").textContent();
  /** Presses keys and counts them. */
  const keysOf = (page: Page) => {
    let count = 0;
    return {
      press: async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
        count += keys.length;
      },
      count: () => count,
    };
  };

  test("two hundred unread messages in twelve channels are done without a mouse in two minutes", async () => {
    const ids = await rooms(CHANNELS);
    for (let n = 0; n < MESSAGES; n += 1) await say(ana, ids[n % CHANNELS] ?? 0, `message number ${n}`);
    await say(ana, ids[4] ?? 0, "@ben look at this");
    const root = (await say(ben, ids[5] ?? 0, "who knows?")).message_id;
    await say(ana, ids[5] ?? 0, "I do", { thread_root_id: root });
    const visit = await world.open({ as: ben, at: "#/c/general", viewport: { width: 1280, height: 800 } });
    const { page } = visit;
    const keys = keysOf(page);
    await keys.press("Control+j");
    await entries(visit).first().waitFor();
    await eventually("all are listed", async () => (await entries(visit).count()) === CHANNELS + 1);
    // A mention comes first, and the first messages can be read in the list.
    expect(await active(visit)).toBe("Room 05");
    await page.getByText("message number 4", { exact: true }).waitFor();
    await eventually("the entry has the focus", () => page.evaluate("document.activeElement.closest('li') !== null"));
    expect(await axeProblems(page)).toEqual([]);
    // One is opened, and Escape reads it to its end.
    await keys.press("j", "Enter");
    await page.locator("article.message", { hasText: "message number 192" }).waitFor();
    await keys.press("Escape");
    await eventually(
      "it is read",
      async () => (await ownChannels()).find(({ id }) => id === ids[0])?.unread_count === 0,
    );
    await keys.press("Control+j");
    await eventually("it is not listed any more", async () => (await entries(visit).count()) === CHANNELS);
    for (let left = CHANNELS; left > 0; left -= 1) {
      const before = await entries(visit).count();
      expect(before).toBe(left);
      await keys.press("e");
      await eventually("one is done", async () => (await entries(visit).count()) === left - 1);
    }
    await page.getByText("You're all caught up.").waitFor();
    await eventually("the server knows", async () => (await unread()) === 0);
    expect((await ben.get("/api/threads?unread=true")).body.threads).toEqual([]);
    await eventually("nothing calls", async () => (await ben.get("/api/notifications")).body.unread === 0);
    expect(keys.count() * SECONDS_A_KEY).toBeLessThan(120);
  });

  test("what is done comes back by u and Ctrl+Z, also on the server", async () => {
    const [one = 0, two = 0] = await rooms(2);
    for (let n = 0; n < 3; n += 1) for (const id of [one, two]) await say(ana, id, `hello ${n}`);
    const visit = await world.open({ as: ben, at: "#/catch-up" });
    const { page } = visit;
    await eventually("both are listed", async () => (await entries(visit).count()) === 2);
    await page.keyboard.press("e");
    await page.keyboard.press("e");
    await page.getByText("You're all caught up.").waitFor();
    await eventually("both are read", async () => (await unread()) === 0);
    await page.keyboard.press("u");
    await eventually("the last is back", async () => (await entries(visit).count()) === 1);
    expect(await active(visit)).toBe("Room 02");
    await page.keyboard.press("Control+z");
    await eventually("both are back", async () => (await entries(visit).count()) === 2);
    const back = (await ownChannels()).filter(({ id }) => id === one || id === two);
    expect(back).toMatchObject([
      { unread_count: 3, unread_from_seq: 1, last_read_seq: 3 },
      { unread_count: 3, unread_from_seq: 1, last_read_seq: 3 },
    ]);
    // A further undo has nothing to bring back.
    await page.keyboard.press("u");
    await page.keyboard.press("Shift+E");
    await page.getByText("You're all caught up.").waitFor();
    await eventually("both are read again", async () => (await unread()) === 0);
  });

  test("mark all read is one request, and the user's other pages show it", async () => {
    const ids = await rooms(5);
    for (const id of ids) await say(ana, id, "hello @ben");
    const root = (await say(ben, ids[0] ?? 0, "who knows?")).message_id;
    await say(ana, ids[0] ?? 0, "I do", { thread_root_id: root });
    const other = await world.open({ as: ben, at: "#/c/general" });
    const visit = await world.open({ as: ben, at: "#/catch-up" });
    await other.page.getByRole("link", { name: /^Threads.*1 with new replies/ }).waitFor();
    await eventually("all are listed", async () => (await entries(visit).count()) === 6);
    const posts: string[] = [];
    visit.page.on("request", (request) => request.method() === "POST" && posts.push(new URL(request.url()).pathname));
    await visit.page.getByRole("button", { name: "Mark all as read" }).click();
    await visit.page.getByText("You're all caught up.").waitFor();
    await other.page.getByRole("link", { name: "Threads", exact: true }).waitFor();
    await eventually("the other page shows nothing unread", async () => {
      const marked = other.page.locator(".lists .channel-link[data-unread]");
      return (await marked.count()) === 0 && (await other.page.title()).startsWith("general");
    });
    expect(await unread()).toBe(0);
    expect(posts).toEqual(["/api/read"]);
  });

  test("cards that wait and what agents did are listed, and are done", async () => {
    const agent = await world.server.agent("PlatformAgent");
    const { channel_id, channel_slug } = (await ana.post("/api/channels", { name: "Launch" })).body;
    await ana.post(`/api/channels/${channel_id}/join`, {});
    const { message_id } = await asked(agent, {
      channel_slug,
      message: "Deploy 2.5?",
      interaction: { kind: "approval", who: { users: ["ana"] } },
    });
    const root = (await say(ana, channel_id, "Please sort the shells")).message_id;
    for (const state of ["working", "done"]) {
      const session = { channel_slug, thread_root_id: root, agent_name: "PlatformAgent", title: "Sorting", state };
      expect((await agent.put("/api/agenthub/sessions", session)).status).toBe(200);
    }
    await ana.post(`/api/channels/${channel_id}/read`, {});
    await eventually(
      "ana is asked",
      async () => (await ana.get("/api/notifications?waiting=true")).body.notifications.length === 1,
    );
    const visit = await world.open({ as: ana, at: "#/catch-up" });
    const { page } = visit;
    await eventually("both are listed", async () => (await entries(visit).count()) === 2);
    expect(await entries(visit).first().textContent()).toContain("Waits for you");
    await page.getByText("Deploy 2.5?").waitFor();
    await page.keyboard.press("j");
    await eventually("the work is active", async () => (await active(visit)) === "PlatformAgent finished");
    await page.getByText("Sorting").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("e");
    await eventually("the work is done", async () => (await entries(visit).count()) === 1);
    await page.keyboard.press("Enter");
    await page.locator(`article[data-id="${message_id}"]`).waitFor();
    await ana.post(`/api/interactions/${message_id}/press`, { action_id: "approve" });
    await page.keyboard.press("Control+j");
    await page.getByText("You're all caught up.").waitFor();
  });

  test("is usable on a small screen, in the dark and in Chinese", async () => {
    const ids = await rooms(3);
    for (const id of ids)
      await say(ana, id, `A longer message that does not fit into one line of a small screen ${"very ".repeat(20)}`);
    for (const [width, height, locale, scheme] of [
      [320, 568, "zh-CN", "dark"],
      [320, 568, "en-US", "light"],
      [1280, 800, "en-US", "dark"],
    ] as const) {
      const visit = await world.open({
        as: ben,
        at: "#/catch-up",
        viewport: { width, height },
        locale,
        colorScheme: scheme,
      });
      await eventually("all are listed", async () => (await entries(visit).count()) === 3);
      await visit.page.locator(".first-messages").waitFor();
      expect(await axeProblems(visit.page)).toEqual([]);
      expect(await visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
  });
});
