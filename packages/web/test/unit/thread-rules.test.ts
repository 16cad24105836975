import { describe, expect, test } from "bun:test";
import type { Thread } from "@parley/protocol/threads";
import type { ChannelEvent } from "@parley/sdk";
import { chatMessage } from "../../../server/test/support/browser/chat-message.ts";
import { isShownIn, threadAfter, toldThread, unreadAfter } from "../../src/model/threads/thread-rules.ts";
import { Timeline } from "../../src/model/timeline.ts";

const ROOT = 1;
const reply = (seq: number, over: Parameters<typeof chatMessage>[0] = {}) =>
  chatMessage({ id: seq * 10, seq, thread_root_id: ROOT, username: "ben", ...over });
const thread = (over: Partial<Thread> = {}): Thread => ({
  reply_count: 2,
  last_reply_at: "2026-01-01T00:00:00.000Z",
  last_reply_seq: 5,
  participants: [{ kind: "user", name: "ben" }],
  is_locked: false,
  following: true,
  unread_count: 1,
  ...over,
});
const root = (over: Parameters<typeof chatMessage>[0] = {}) =>
  chatMessage({ id: ROOT, seq: 1, username: "ana", ...over });
const named = [{ type: "user" as const, name: "zoe", user_id: 3, start: 0, end: 4 }] as never;

test("the channel shows replies only if they were also sent to it, and a thread shows its root and replies", () => {
  const shown = (rootId: number | null) =>
    [root(), reply(2), reply(3, { also_in_channel: true }), reply(4, { thread_root_id: 9 })]
      .filter((message) => isShownIn(rootId, message))
      .map(({ seq }) => seq);
  expect(shown(null)).toEqual([1, 3]);
  expect(shown(ROOT)).toEqual([1, 2, 3]);
});

describe("a thread after a reply", () => {
  test("counts it once, names who replied first, and is unread for who follows it", () => {
    const before = root({
      thread: thread({
        participants: [
          { kind: "user", name: "cho" },
          { kind: "user", name: "ben" },
        ],
      }),
    });
    const after = threadAfter(before, reply(6), "zoe");
    expect(after).toMatchObject({ reply_count: 3, last_reply_seq: 6, unread_count: 2 });
    expect(after.participants.map(({ name }) => name)).toEqual(["ben", "cho"]);
    expect(threadAfter({ ...before, thread: after }, reply(6), "zoe")).toBe(after);
  });

  test("is not unread for who does not follow it, and the user's own reply makes them follow", () => {
    const before = root({ thread: thread({ following: false, unread_count: 0 }) });
    expect(threadAfter(before, reply(6), "zoe")).toMatchObject({ following: false, unread_count: 0 });
    expect(threadAfter(before, reply(6, { username: "zoe" }), "zoe")).toMatchObject({
      following: true,
      unread_count: 0,
    });
    expect(threadAfter(before, reply(6, { mentions: named }), "zoe")).toMatchObject({
      following: true,
      unread_count: 1,
    });
  });

  test("begins with the first reply, which whoever wrote the root follows", () => {
    expect(threadAfter(root(), reply(2), "ana")).toMatchObject({ reply_count: 1, following: true, unread_count: 1 });
    expect(threadAfter(root(), reply(2), "zoe")).toMatchObject({
      reply_count: 1,
      following: false,
      unread_count: null,
    });
    expect(threadAfter(root(), reply(2), null)).toMatchObject({ following: null, unread_count: null });
  });
});

test("an event about a thread keeps what only this user's page knows", () => {
  const told = thread({ reply_count: 3, is_locked: true, following: null, unread_count: null });
  expect(toldThread(thread(), told)).toEqual({ ...told, following: true, unread_count: 1 });
  expect(toldThread(null, told)).toEqual(told);
  expect(toldThread(thread(), null)).toBeNull();
});

test("the unread replies begin after the last one that was read; the user's own and deleted ones do not count", () => {
  const messages = [root(), reply(2), reply(3, { username: "zoe" }), reply(4, { is_deleted: true }), reply(5)];
  expect(unreadAfter(messages, 1, "zoe")).toBe(4);
  expect(unreadAfter(messages, 2, "zoe")).toBe(1);
  expect(unreadAfter(messages, 9, "zoe")).toBe(1);
  expect(unreadAfter(messages, 0, "zoe")).toBeNull();
});

describe("the timeline of a channel with threads", () => {
  const arrives = (chat_message: ReturnType<typeof chatMessage>): ChannelEvent => ({
    event: "message:new",
    data: { channel_id: 1, seq: chat_message.seq, chat_message },
  });
  const filled = () => {
    const timeline = new Timeline((message) => isShownIn(null, message));
    timeline.self = "zoe";
    timeline.begin(1);
    timeline.replace({ messages: [root()], last_seq: 1 }, { hasOlder: false, hasNewer: false });
    return timeline;
  };
  const countOf = (timeline: Timeline) => timeline.find(ROOT)?.thread?.reply_count;

  test("counts a reply at its root without showing it, and has seen all up to it", () => {
    const timeline = filled();
    expect(timeline.apply(arrives(reply(2)))).toBe(true);
    expect(timeline.messages.map(({ id }) => id)).toEqual([ROOT]);
    expect(countOf(timeline)).toBe(1);
    expect(timeline.endSeq).toBe(2);
    timeline.apply(arrives(reply(3, { also_in_channel: true })));
    expect(timeline.messages.map(({ seq }) => seq)).toEqual([1, 3]);
    expect(countOf(timeline)).toBe(2);
  });

  test("counts a reply again on a page that is older than it, but not on one that has counted it", () => {
    const timeline = filled();
    timeline.apply(arrives(reply(2)));
    const edges = { hasOlder: false, hasNewer: false };
    timeline.replace({ messages: [root()], last_seq: 1 }, edges);
    expect(countOf(timeline)).toBe(1);
    const counted = root({ thread: thread({ reply_count: 1, last_reply_seq: 2 }) });
    timeline.replace({ messages: [counted], last_seq: 1 }, edges);
    expect(countOf(timeline)).toBe(1);
  });

  test("keeps what the user follows when the root is edited", () => {
    const timeline = filled();
    timeline.changeThread(ROOT, () => thread());
    const told = thread({ is_locked: true, following: null, unread_count: null });
    const chat_message = root({ content: "edited", thread: told });
    timeline.apply({ event: "message:update", data: { channel_id: 1, seq: 2, chat_message } });
    expect(timeline.find(ROOT)).toMatchObject({ content: "edited", thread: { is_locked: true, following: true } });
  });
});
