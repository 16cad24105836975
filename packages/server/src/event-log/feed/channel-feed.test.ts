import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { openFreshSqlite } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import { createChannel } from "../../channels/settings/settings.service.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { transact } from "../../db/transact.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { appendEvents } from "../events.ts";
import { EARLY_MAX } from "./early-frames.ts";
import { channelFeed, freshFeed, receive } from "./feed.ts";
import { onFeedMessage } from "./feed-listeners.ts";

/** A node whose broker the test plays, and a channel in which another node of the same database has committed events. */
async function onOtherNode(events: number) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await openFreshSqlite());
  const onClose = (close: () => void | Promise<void>) => stack.defer(async () => close());
  const cluster = { onNodes() {}, onRejoined() {} } as unknown as Cluster;
  const ctx = testContext(database, { cluster, onClose });
  const other = testContext(database, { onClose });
  const owner = await user(other, "ann");

  /** Makes a channel whose feed this node holds, and returns the frames of what is then committed elsewhere. */
  const channel = async (count = events) => {
    const { id } = await createChannel(other, owner, { name: "Room" });
    const heard: BrokerMessage[] = [];
    await ctx.hub.listen(channelTopic(id), (messages) => heard.push(...messages)).ready;
    const feed = await channelFeed(ctx, id);
    const frames: BrokerMessage[] = [];
    other.hub.listen(channelTopic(id), (messages) => frames.push(...messages));
    const inputs = Array.from({ length: count }, (_, n) => ({ event: "channel:update" as const, data: updated(n) }));
    await transact(other, (inner) => appendEvents(inner, id, inputs));
    return { id, feed, heard, frames, arrive: (all: BrokerMessage[]) => receive(ctx, channelTopic(id), all) };
  };
  return { ctx, channel, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const updated = (n: number) => ({ channel: { channel_slug: `room-${n}` } });
const seqsOf = (messages: readonly BrokerMessage[]) => messages.map(({ seq }) => seq);

test("a feed delivers every event once and in order, whatever the bus repeats, reorders or loses", async () => {
  const COUNT = 12;
  await using world = await onOtherNode(COUNT);
  const { ctx, channel } = world;
  const listened = new Map<number, number[]>();
  onFeedMessage(ctx, (id, { seq = 0 }) => void listened.set(id, [...(listened.get(id) ?? []), seq]));
  const arrivals = fc.array(fc.array(fc.nat({ max: COUNT - 1 }), { minLength: 1, maxLength: 4 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(arrivals, async (batches) => {
      const { id, feed, heard, frames, arrive } = await channel();
      for (const batch of batches) arrive(batch.flatMap((at) => frames[at] ?? []));
      expect(await freshFeed(ctx, id)).toBe(feed);
      expect(seqsOf(heard)).toEqual(seqsOf(frames));
      expect(heard.map(({ frame }) => frame)).toEqual(frames.map(({ frame }) => frame));
      expect(listened.get(id)).toEqual(seqsOf(frames) as number[]);
      for (const batch of batches) arrive(batch.flatMap((at) => frames[at] ?? []));
      expect(heard).toHaveLength(COUNT);
    }),
    { numRuns: 40 },
  );
});

test("an early event waits for its predecessor without a query, and an ephemeral one for both", async () => {
  await using world = await onOtherNode(3);
  const { ctx, channel } = world;
  const { feed, heard, frames, arrive } = await channel();
  const [first, second, third] = frames as [BrokerMessage, BrokerMessage, BrokerMessage];
  const typing = { event: "typing", frame: "{}" };
  using queries = spyOn(ctx.db, "selectFrom");
  arrive([second, typing]);
  arrive([third]);
  expect(heard).toEqual([]);
  arrive([first]);
  expect(heard).toEqual([first, second, typing, third]);
  expect(feed.isReady).toBe(true);
  expect(queries).not.toHaveBeenCalled();
});

test("too many early events are dropped and read", async () => {
  await using world = await onOtherNode(EARLY_MAX + 10);
  const { ctx, channel } = world;
  const { feed, heard, frames, arrive } = await channel();
  arrive(frames.slice(1));
  expect(feed.isReady).toBe(false);
  await feed.reach(frames.at(-1)?.seq ?? 0);
  expect(seqsOf(heard)).toEqual(seqsOf(frames));
  const repairs = /^parley_feed_(?:gap|tail)_repairs_total (\d+)$/gm;
  expect([...(await ctx.metrics.render()).matchAll(repairs)].map(([, count]) => count)).toEqual(["0", "1"]);
});

test("a request that needs an unreadable channel fails, and the next one is answered", async () => {
  await using world = await onOtherNode(2);
  const { ctx, channel } = world;
  const { id, feed, frames } = await channel();
  await ctx.db.deleteFrom("channel_events").where("channel_id", "=", id).execute();
  await expect(Promise.resolve(freshFeed(ctx, id))).rejects.toThrow("has no event");
  feed.remember();
  // The failed one reads no more.
  expect(feed.isReady).toBe(true);
  expect((await freshFeed(ctx, id)).lastSeq).toBe(frames.at(-1)?.seq ?? 0);
});

test("a feed whose messages were dropped to make room loads them again when asked", async () => {
  await using database = await openFreshSqlite();
  const ctx = testContext(database);
  await putMessages(ctx, [{}, {}]);
  const feed = await channelFeed(ctx, 1);
  expect(feed.memory.oldestSeq).toBe(1);
  feed.memory.forget();
  expect([feed.memory.messages, feed.memory.oldestSeq]).toEqual([[], undefined]);
  feed.remember();
  await feed.ready();
  expect(feed.memory.messages.map(({ seq }) => seq)).toEqual([1, 2]);
});
