import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { ThreadsQuery } from "@parley/protocol/thread-calls";
import type { ChannelEvent, ParleyClient } from "@parley/sdk";
import { ParleyError } from "@parley/sdk";
import { chatMessage } from "../../../server/test/support/browser/chat-message.ts";
import { FollowedThreads } from "../../src/model/threads/followed-threads.ts";

const root = (id: number) => chatMessage({ id, seq: id, username: "cho" });
const entry = (id: number, unread_count: number, at = "2026-01-01T00:00:00.000Z") => ({
  root: root(id),
  last_read_seq: 0,
  unread_from_seq: null,
  unread_count,
  last_reply: chatMessage({ id: id + 1, seq: id + 1, thread_root_id: id, created_at: at }),
});
const reply = (rootId: number, seq: number, over: Parameters<typeof chatMessage>[0] = {}): ChannelEvent => {
  const chat_message = chatMessage({ id: seq, seq, thread_root_id: rootId, username: "ben", ...over });
  return { event: "message:new", data: { channel_id: 1, seq, chat_message } };
};

/** Ana's threads, with a clock that the test moves. */
describe("the followed threads", () => {
  let asked: ThreadsQuery[];
  let known: ReturnType<typeof entry>[];
  let isAway: boolean;
  let found: number;
  let threads: FollowedThreads;

  beforeEach(() => {
    jest.useFakeTimers();
    [asked, known, isAway, found] = [[], [], false, 0];
    const list = async (query: ThreadsQuery) => {
      asked.push(query);
      if (isAway) throw new ParleyError("network_error", "Away.");
      const those = known.filter(({ unread_count }) => query.unread !== true || unread_count > 0);
      return { success: true, threads: those, has_more: false, next_before: null, limit: 30 };
    };
    const client = { messages: { threads: list } } as unknown as ParleyClient;
    threads = new FollowedThreads({ client, self: () => "ana", onFound: () => (found += 1) });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settle = async (ms = 0) => {
    jest.advanceTimersByTime(ms);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const unread = () => Object.fromEntries(threads.unread.get());
  const counts = (event: ChannelEvent) => event.event === "message:new" && threads.counts(event.data.chat_message);

  test("have the unread counts of the server, of replies that arrive, and of what was read elsewhere", async () => {
    known = [entry(10, 2)];
    threads.load();
    await settle();
    expect(unread()).toEqual({ 10: 2 });
    threads.take(reply(10, 30));
    expect(unread()).toEqual({ 10: 3 });
    threads.take(reply(10, 31, { username: "ana" }));
    expect(unread()).toEqual({ 10: 3 });
    const data = {
      channel_id: 1,
      message_id: 10,
      following: true,
      last_read_seq: 31,
      unread_from_seq: null,
      unread_count: 0,
    };
    threads.pass(data);
    expect(unread()).toEqual({});
    threads.take(reply(10, 32));
    expect(unread()).toEqual({ 10: 1 });
  });

  test("are asked for once when a reply arrives in an unknown thread, which then counts in its channel or not", async () => {
    threads.load();
    await settle();
    known = [entry(20, 1)];
    threads.take(reply(20, 40));
    threads.take(reply(21, 41));
    expect(counts(reply(20, 40))).toBe(false);
    await settle(1_000);
    expect(asked).toEqual([
      { unread: true, limit: 100 },
      { unread: true, limit: 100 },
    ]);
    expect(found).toBe(1);
    expect([counts(reply(20, 42)), counts(reply(21, 43))]).toEqual([true, false]);
    expect(counts(reply(21, 44, { also_in_channel: true }))).toBe(true);
    threads.take(reply(21, 45));
    await settle(5_000);
    expect(asked).toHaveLength(2);
    expect(unread()).toEqual({ 20: 1 });
  });

  test("include a thread as soon as the user replies in it, and no longer when they leave it, until they are mentioned", async () => {
    threads.load();
    await settle();
    threads.take(reply(50, 60, { username: "ana" }));
    threads.take(reply(50, 61));
    expect(unread()).toEqual({ 50: 1 });
    const data = {
      channel_id: 1,
      message_id: 50,
      following: false,
      last_read_seq: 61,
      unread_from_seq: null,
      unread_count: 0,
    };
    threads.pass(data);
    threads.take(reply(50, 62));
    expect([unread(), counts(reply(50, 62))]).toEqual([{}, false]);
    known = [entry(50, 1)];
    threads.take(reply(50, 63, { mentions: [{ type: "user", name: "ana" }] as never }));
    await settle(1_000);
    expect([unread(), found]).toEqual([{ 50: 1 }, 1]);
  });

  test("are listed with the unread ones first, and the list follows what happens while it is open", async () => {
    known = [entry(1, 0, "2026-01-03T00:00:00.000Z"), entry(2, 1), entry(3, 0, "2026-01-02T00:00:00.000Z")];
    const stop = threads.watch();
    await settle();
    const ids = () => threads.view.get().threads.map(({ root: { id } }) => id);
    expect(ids()).toEqual([2, 1, 3]);
    known = known.map((each) => ({ ...each, unread_count: each.root.id === 3 ? 1 : 0 }));
    threads.pass({
      channel_id: 1,
      message_id: 3,
      following: true,
      last_read_seq: 2,
      unread_from_seq: null,
      unread_count: 1,
    });
    await settle(1_000);
    expect(ids()).toEqual([3, 1, 2]);
    stop();
    const before = asked.length;
    threads.take(reply(3, 70));
    await settle(10_000);
    expect(asked).toHaveLength(before);
  });

  test("that cannot be listed are requested again until it succeeds", async () => {
    isAway = true;
    threads.watch();
    await settle();
    expect(threads.view.get().state).toBe("failed");
    isAway = false;
    await settle(10_000);
    expect(threads.view.get().state).toBe("ready");
  });
});
