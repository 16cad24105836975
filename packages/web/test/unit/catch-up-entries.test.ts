import { expect, test } from "bun:test";
import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { Channel } from "@parley/protocol/models";
import type { Notification } from "@parley/protocol/notifications";
import { type EntrySource, entriesOf } from "../../src/catch-up/entries.ts";
import type { FollowedThread } from "../../src/model/threads/followed-threads.ts";

const channel = (id: number, unread_count: number, more: Partial<Channel> = {}) =>
  ({ id, unread_count, last_seq: 10, last_read_seq: 10 - unread_count, my_role: "member", ...more }) as Channel;
const notification = (notification_id: number, more: Partial<Notification>) =>
  ({
    notification_id,
    kind: "mention",
    channel_id: 1,
    message_id: notification_id,
    read_at: null,
    ...more,
  }) as Notification;
const thread = (id: number, unread_count: number, seq: number) =>
  ({ root: { id, channel_id: 1, seq: 1 }, unread_count, last_reply: { seq } }) as FollowedThread;
const session = (thread_root_id: number, interaction_id: number | null = null) =>
  ({ agent_id: 1, thread_root_id, state: "done", since: "now", interaction_id }) as AgentSession;

const NOTHING: EntrySource = {
  channels: [],
  mentions: new Map(),
  settings: { default: "mentions", channels: {} },
  threads: [],
  notifications: [],
  cards: [],
  sessions: [],
  doneUpTo: new Map(),
  aside: new Set(),
  back: new Set(),
};
const keys = (source: Partial<EntrySource>) => entriesOf({ ...NOTHING, ...source }).map(({ key }) => key);

test("cards come first, then what calls the user, the other channels, threads, and what agents did", () => {
  const found = keys({
    channels: [channel(1, 3), channel(2, 0), channel(3, 2), channel(4, 1, { is_direct: true })],
    mentions: new Map([[3, new Set([9])]]),
    threads: [thread(21, 2, 8), thread(22, 0, 9)],
    cards: [notification(31, { kind: "card", channel_id: 2 })],
    sessions: [session(41)],
  });
  expect(found).toEqual(["card:31", "channel:3", "channel:4", "channel:1", "thread:21", "session:1:41:done:now"]);
});

test("a muted channel is listed for its mentions alone", () => {
  const settings = { default: "mentions", channels: { 1: { level: null, muted: true } } } as EntrySource["settings"];
  expect(keys({ channels: [channel(1, 3)], settings })).toEqual([]);
  expect(keys({ channels: [channel(1, 3)], settings, mentions: new Map([[1, new Set([9])]]) })).toEqual(["channel:1"]);
});

test("a mention is an entry of its own only where the user has no read mark", () => {
  const notifications = [
    notification(1, { channel_id: 1 }),
    notification(2, { channel_id: 7 }),
    notification(3, { channel_id: 7, read_at: "now" }),
    notification(4, { channel_id: 7, kind: "reaction" }),
  ];
  expect(keys({ channels: [channel(1, 1), channel(7, 0, { my_role: null })], notifications })).toEqual([
    "mention:2",
    "channel:1",
  ]);
});

test("a mention that was brought back is listed although it is read", () => {
  const notifications = [notification(3, { channel_id: 7, read_at: "now" })];
  expect(keys({ notifications })).toEqual([]);
  expect(keys({ notifications, back: new Set(["mention:3"]) })).toEqual(["mention:3"]);
});

test("what is done stays away until something newer arrives", () => {
  const doneUpTo = new Map([
    ["channel:1", 10],
    ["channel:2", 9],
    ["thread:21", 8],
    ["thread:22", 7],
  ]);
  const channels = [channel(1, 1), channel(2, 1)];
  expect(keys({ channels, threads: [thread(21, 2, 8), thread(22, 2, 8)], doneUpTo })).toEqual([
    "channel:2",
    "thread:22",
  ]);
  expect(keys({ cards: [notification(31, { kind: "card" })], aside: new Set(["card:31"]) })).toEqual([]);
});

test("work that waits for a card of the user is shown by the card", () => {
  const cards = [notification(31, { kind: "card" })];
  expect(keys({ cards, sessions: [session(41, 31), session(42, 99)] })).toEqual(["card:31", "session:1:42:done:now"]);
});
