import { expect, jest, test } from "bun:test";
import type { EventData } from "@parley/protocol/events";
import type { Channel, ChatMessage } from "@parley/protocol/models";
import type { ChannelEvent, ParleyClient, RealtimeEvent } from "@parley/sdk";
import { ChannelList } from "../../src/model/channel-list.ts";

const channel = (id: number, told: Partial<Channel> = {}) =>
  ({
    id,
    name: `c${id}`,
    last_seq: 10,
    my_role: "member",
    last_read_seq: 10,
    unread_from_seq: null,
    unread_count: 0,
    ...told,
  }) as Channel;
const message = (id: number, seq: number, mentions: string[] = []): ChannelEvent => {
  const chat_message = { username: "ben", mentions: mentions.map((name) => ({ type: "user", name })) } as ChatMessage;
  return { event: "message:new", data: { channel_id: id, seq, chat_message } };
};
const added = (record: Channel): RealtimeEvent => ({ event: "channel:added", data: { channel: record } });

/** Ana's list of channels, with responses that the test gives. */
function listed(lastId: number | null = null) {
  const answers: ((channels: Channel[]) => void)[] = [];
  const list = () => new Promise((resolve) => answers.push((channels) => resolve({ channels, next_after_id: null })));
  const channels = new ChannelList(
    { channels: { list } } as unknown as ParleyClient,
    (draw) => draw,
    () => null,
    lastId,
  );
  const load = (...told: Channel[]) => {
    const loading = channels.load();
    const answer = () => {
      answers.shift()?.(told);
      return loading;
    };
    return { answer };
  };
  return {
    channels,
    load,
    ids: () => channels.view.get().channels.map(({ id }) => id),
    take: (event: ChannelEvent) => channels.take(event, "ana"),
    isLoud: (id: number) => channels.mentions.all.get().has(id),
  };
}

test("a channel the user was added to while the list loaded stays in it, unless the user was removed again", async () => {
  const { channels, load, ids } = listed();
  const late = load(channel(1));
  channels.pass(added(channel(2)));
  channels.pass(added(channel(3)));
  channels.remove(3);
  await late.answer();
  expect(ids()).toEqual([1, 2]);
  await load(channel(1)).answer();
  expect(ids()).toEqual([1]);
});

test("settings that changed while the list loaded are not overwritten by it", async () => {
  const { channels, load, take } = listed();
  await load(channel(1)).answer();
  const [late, current] = [channel(1), channel(1, { name: "newest", last_seq: 12 })];
  const loading = load(late);
  take({
    event: "channel:update",
    data: { channel_id: 1, seq: 11, channel: channel(1, { name: "new", last_seq: 11 }) },
  });
  await loading.answer();
  expect(channels.find(1)).toMatchObject({ name: "new", last_seq: 11, unread_count: 0 });
  await load(current).answer();
  expect(channels.find(1)).toMatchObject({ name: "newest" });
});

test("a mention missed while the socket was down is found in the messages that are replayed", async () => {
  for (const isListFirst of [true, false]) {
    const { load, take, isLoud } = listed();
    await load(channel(1), channel(2)).answer();
    const events = [message(1, 11, ["ana"]), message(2, 11, ["ben"])];
    const reread = load(channel(1, { last_seq: 11, unread_count: 1 }), channel(2, { last_seq: 11, unread_count: 1 }));
    if (isListFirst) await reread.answer();
    for (const event of events) take(event);
    if (!isListFirst) await reread.answer();
    expect([isLoud(1), isLoud(2)]).toEqual([true, false]);
  }
});

test("a mention that was read on another device while the socket was down is marked as read here, too", async () => {
  const { load, take, isLoud } = listed();
  await load(channel(1)).answer();
  take(message(1, 11, ["ana"]));
  expect(isLoud(1)).toBe(true);
  await load(channel(1, { last_seq: 12, last_read_seq: 12 })).answer();
  take(message(1, 12, ["ana"]));
  expect(isLoud(1)).toBe(false);
});

/** The position up to which the user has read a channel, by the server. */
const reading = (change: Partial<EventData<"channel:read">> = {}): RealtimeEvent => ({
  event: "channel:read",
  data: { channel_id: 1, last_read_seq: 12, unread_from_seq: null, unread_count: 0, last_seq: 12, ...change },
});

test("a message that arrives while the report of what was read is on its way stays unread, and so does a mention", async () => {
  const { channels, load, take, isLoud } = listed();
  await load(channel(1)).answer();
  for (const seq of [11, 12]) take(message(1, seq));
  take(message(1, 13, ["ana"]));
  channels.pass(reading());
  expect(channels.find(1)).toMatchObject({ last_read_seq: 12, unread_count: 1 });
  expect(isLoud(1)).toBe(true);
  channels.pass(reading({ last_read_seq: 13, last_seq: 13 }));
  expect(channels.find(1)).toMatchObject({ last_read_seq: 13, unread_count: 0 });
  expect(isLoud(1)).toBe(false);
});

test("what was marked as unread while the list was on its way stays marked", async () => {
  const { channels, load } = listed();
  await load(channel(1, { last_read_seq: 12, last_seq: 12 })).answer();
  const late = load(channel(1, { last_read_seq: 12, last_seq: 12 }));
  channels.pass(reading({ unread_from_seq: 11, unread_count: 2 }));
  await late.answer();
  expect(channels.find(1)).toMatchObject({ last_read_seq: 12, unread_from_seq: 11, unread_count: 2 });
  await load(channel(1, { last_read_seq: 12, last_seq: 12 })).answer();
  expect(channels.find(1)).toMatchObject({ unread_from_seq: null, unread_count: 0 });
});

test("the list is loaded again when everything was read on any device", () => {
  const { channels } = listed();
  expect(channels.pass({ event: "read:all", data: { unread: 0 } })).toBe(true);
});

test("after the data or the user has changed, unread counts start from the next list", async () => {
  const { channels, load, take, isLoud } = listed();
  await load(channel(1)).answer();
  for (const seq of [11, 12]) take(message(1, seq, ["ana"]));
  expect(isLoud(1)).toBe(true);
  channels.forget();
  expect(isLoud(1)).toBe(false);
  await load(channel(1, { last_seq: 5, last_read_seq: 4, unread_count: 1 })).answer();
  take(message(1, 6));
  expect(channels.find(1)).toMatchObject({ last_seq: 6, last_read_seq: 4, unread_count: 2 });
});

test("a list that failed to load is retried after a while, unless it was loaded in the meantime", async () => {
  jest.useFakeTimers();
  try {
    let asked = 0;
    let isAway = true;
    const list = async () => {
      asked += 1;
      if (isAway) throw new Error("away");
      return { channels: [channel(asked)], next_after_id: null };
    };
    const channels = new ChannelList({ channels: { list } } as unknown as ParleyClient, (draw) => draw);
    await channels.load();
    expect(channels.view.get().state).toBe("failed");
    isAway = false;
    jest.advanceTimersByTime(10_000);
    // Responses are handled in turns of their own.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(channels.view.get()).toMatchObject({ state: "ready", channels: [{ id: 2 }] });
    isAway = true;
    await channels.load();
    expect(channels.view.get()).toMatchObject({ state: "ready", channels: [{ id: 2 }] });
    isAway = false;
    await channels.load();
    jest.advanceTimersByTime(60_000);
    expect(asked).toBe(4);
  } finally {
    jest.useRealTimers();
  }
});

/** A list of channels 1 to 7 in pages of two, of which ana has joined channel 1. Records the requests. */
function paged(slug: () => string | null = () => null) {
  const asked: unknown[] = [];
  const slugged = (id: number) => channel(id, { channel_slug: `c${id}`, ...(id > 1 && { my_role: null }) });
  const list = async (query: { after_id?: number; channel_slug?: string } = {}) => {
    asked.push(query);
    if (query.channel_slug !== undefined) {
      const id = Number(query.channel_slug.slice(1));
      return { channels: id >= 1 && id <= 7 ? [slugged(id)] : [], next_after_id: null };
    }
    const { after_id = 0 } = query;
    const ids = [2, 3, 4, 5, 6, 7].filter((id) => id > after_id);
    const shown = after_id === 0 ? [1, ...ids.slice(0, 2)] : ids.slice(0, 2);
    return { channels: shown.map(slugged), next_after_id: ids.length > 2 ? ids[1] : null };
  };
  const channels = new ChannelList({ channels: { list } } as unknown as ParleyClient, (draw) => draw, slug);
  const ids = () => channels.view.get().channels.map(({ id }) => id);
  return { channels, ids, asked };
}

test("the list is loaded page by page on demand, and reloaded to the same length", async () => {
  const { channels, ids } = paged();
  await channels.load();
  expect([ids(), channels.view.get().hasMore]).toEqual([[1, 2, 3], true]);
  await channels.loadMore();
  expect([ids(), channels.view.get().hasMore]).toEqual([[1, 2, 3, 4, 5], true]);
  await channels.load();
  expect(ids()).toEqual([1, 2, 3, 4, 5]);
  const twice = [channels.loadMore(), channels.loadMore()];
  await Promise.all(twice);
  expect([ids(), channels.view.get().hasMore]).toEqual([[1, 2, 3, 4, 5, 6, 7], false]);
  await channels.loadMore();
  expect(ids()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  channels.forget();
  await channels.load();
  expect(ids()).toEqual([1, 2, 3]);
});

test("the channel in the URL is in the list, whatever its page", async () => {
  let slug = "C6";
  const { channels, ids, asked } = paged(() => slug);
  await channels.load();
  expect([ids(), channels.bySlug("c6")?.id]).toEqual([[1, 2, 3, 6], 6]);
  await channels.loadMore();
  await channels.loadMore();
  expect(ids().sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  for (const [there, before] of [
    ["c2", asked.length],
    ["nothing", asked.length + 3],
  ] as const) {
    slug = there;
    await channels.load();
    expect(asked.slice(before)).toEqual([{}, { after_id: 3 }, { after_id: 5 }]);
  }
});

test("the start page leads to the last channel, else #general, else the user's own, else any that can be read", async () => {
  const general = channel(1, { channel_slug: "general", my_role: null });
  const [own, open, locked] = [
    channel(2),
    channel(3, { my_role: null }),
    channel(4, { my_role: null, has_password: true }),
  ];
  const homeOf = async (told: Channel[], lastId: number | null = null) => {
    const { channels, load } = listed(lastId);
    await load(...told.map((each) => ({ ...each, price: null }))).answer();
    return channels.home()?.id;
  };
  expect(await homeOf([locked, open, own, general], 3)).toBe(3);
  expect(await homeOf([locked, open, own, general], 4)).toBe(1);
  expect(await homeOf([locked, open, own, general], 9)).toBe(1);
  expect(await homeOf([locked, open, own], 9)).toBe(2);
  expect(await homeOf([locked, open])).toBe(3);
  expect(await homeOf([])).toBeUndefined();
});
