import { afterEach, expect, setSystemTime, test } from "bun:test";
import type { Channel, ChatMessage } from "@parley/protocol/models";
import type { ChannelNotifications, NotificationSettings } from "@parley/protocol/preferences";
import { attentionOf, channelAttention } from "../../src/model/calls/attention.ts";
import { isCalling } from "../../src/model/calls/is-calling.ts";

afterEach(() => {
  setSystemTime();
});

const channel = (more: Partial<Channel> = {}) =>
  ({ id: 1, unread_count: 5, last_read_seq: 10, is_direct: false, ...more }) as Channel;
const settings = (one: Partial<ChannelNotifications> = {}, all: Partial<NotificationSettings> = {}) => ({
  default: "mentions" as const,
  channels: { 1: { level: null, muted: false, ...one } },
  ...all,
});

test.each([
  ["an unread channel", {}, 0, {}, { count: 5, calls: 0, hasUnread: true, hasMention: false }],
  ["mentions", {}, 2, {}, { count: 5, calls: 2, hasUnread: true, hasMention: true }],
  ["a direct conversation", { is_direct: true }, 2, {}, { count: 5, calls: 5, hasUnread: true }],
  ["a muted channel", {}, 0, { muted: true }, { count: 0, calls: 0, hasUnread: false, isMuted: true }],
  ["mentions in a muted channel", {}, 2, { muted: true }, { count: 2, calls: 2, hasUnread: false, hasMention: true }],
  ["a muted channel without any", {}, 2, { muted: true, level: "none" }, { count: 0, calls: 0, hasMention: false }],
  ["a muted conversation", { is_direct: true }, 0, { muted: true }, { count: 0, calls: 0, hasUnread: false }],
  ["a silent channel", {}, 2, { level: "none" }, { count: 5, calls: 0, hasUnread: true, hasMention: true }],
  ["mentions that were read", { unread_count: 0 }, 2, {}, { count: 0, calls: 0, hasMention: false }],
  ["a channel of others", { unread_count: null }, 2, {}, { count: 0, calls: 0, hasUnread: false }],
] as const)("%s draws the attention that the settings allow", (_, more, mentions, one, wanted) => {
  expect(channelAttention(channel(more), mentions, settings(one))).toMatchObject(wanted);
});

test("the page's attention is the sum of its channels'", () => {
  const channels = [channel(), channel({ id: 2, is_direct: true }), channel({ id: 3, unread_count: 0 })];
  const mentions = new Map([[1, new Set([11, 12])]]);
  expect(attentionOf({ channels, mentions, settings: settings(), listed: 0 })).toEqual({ calls: 7, hasUnread: true });
  const quiet = settings({ muted: true, level: "none" }, { default: "none" });
  expect(attentionOf({ channels: channels.slice(0, 1), mentions, settings: quiet, listed: 0 })).toEqual({
    calls: 0,
    hasUnread: false,
  });
});

const message = (more: Partial<ChatMessage> = {}) =>
  ({
    username: "ben",
    sender_type: "user",
    mentions: [],
    seq: 11,
    thread_root_id: null,
    also_in_channel: false,
    ...more,
  }) as unknown as ChatMessage;
const toAna = { mentions: [{ type: "user", name: "ana", offset: 0, length: 4 }] } satisfies Partial<ChatMessage>;
const direct = { is_direct: true };

test.each([
  ["a message", false, {}, {}, settings()],
  ["a mention", true, toAna, {}, settings()],
  ["a direct message", true, {}, direct, settings()],
  ["any message of a channel set to all", true, {}, {}, settings({ level: "all" })],
  ["any message, if that is the default", true, {}, {}, settings({}, { default: "all" })],
  ["a mention in a channel set to nothing", false, toAna, {}, settings({ level: "none" })],
  ["a mention in a muted channel", false, toAna, {}, settings({ muted: true, level: "all" })],
  ["a direct message, if the default is nothing", false, {}, direct, settings({}, { default: "none" })],
  ["one's own message", false, { username: "ana" }, direct, settings()],
  ["a message of the system", false, { sender_type: "system" as const }, direct, settings()],
  ["a reply that is only in a thread", false, { thread_root_id: 3 }, {}, settings({ level: "all" })],
  [
    "a reply that is also in the channel",
    true,
    { thread_root_id: 3, also_in_channel: true },
    {},
    settings({ level: "all" }),
  ],
  ["a mention in a thread", true, { ...toAna, thread_root_id: 3 }, {}, settings()],
  ["a message that was read", false, { ...toAna, seq: 10 }, {}, settings()],
] as const)("%s notifies: %p", (_, wanted, more, place, all) => {
  expect(isCalling(message(more), { channelId: 1, channel: channel(place), self: "ana" }, all)).toBe(wanted);
});

test("of channels that are not the user's, only mentions notify", () => {
  const place = { channelId: 1, channel: undefined, self: "ana" };
  expect(isCalling(message(), place, settings({ level: "all" }))).toBe(false);
  expect(isCalling(message(toAna), place, settings())).toBe(true);
  const preview = { ...place, channel: channel({ last_read_seq: null }) };
  expect(isCalling(message(), preview, settings({}, { default: "all" }))).toBe(false);
});

test.each([
  [0, true],
  // The device's clock may go a minute ahead of the server's.
  [100, true],
  [121, false],
  [-60, true],
])("a call of everybody that seems %d seconds old notifies: %p", (seconds, wanted) => {
  const created_at = "2026-01-01T12:00:00.000Z";
  setSystemTime(Date.parse(created_at) + seconds * 1_000);
  const called = message({ mentions: [{ type: "here", name: "here", offset: 0, length: 5 }], created_at });
  expect(isCalling(called, { channelId: 1, channel: channel(), self: "ana" }, settings())).toBe(wanted);
});
