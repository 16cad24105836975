import { expect, spyOn, test } from "bun:test";
import { oneNode } from "../../../test/support/cluster/one-node.ts";
import { testContext } from "../../../test/support/context.ts";
import { openFreshSqlite } from "../../../test/support/databases.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { channelFeed, feeds, startFeeds } from "./feed.ts";

const CHANNELS = 1_300;
/** Feeds that a server keeps. */
const KEPT = 1_000;

test("thousands of channels with listeners do not make each new feed search through all others", async () => {
  await using database = await openFreshSqlite();
  await using stack = new AsyncDisposableStack();
  const ctx = testContext(database, { onClose: (close) => stack.defer(async () => close()) });
  using lookups = spyOn(ctx.hub, "holders");
  for (let id = 1; id <= CHANNELS; id++) {
    ctx.hub.listen(channelTopic(id), () => {});
    await channelFeed(ctx, id);
  }
  // A search each second, and one for each hundred new feeds.
  expect(lookups.mock.calls.length).toBeLessThan(20 * CHANNELS);
});

test("of more feeds than are kept, the one that was used longest ago goes, unless somebody listens", async () => {
  await using database = await openFreshSqlite();
  await using stack = new AsyncDisposableStack();
  const ctx = testContext(database, { onClose: (close) => stack.defer(async () => close()) });
  const has = (...ids: number[]) => ids.map((id) => feeds(ctx).peek(id) !== undefined);
  for (let id = 1; id <= KEPT; id++) await channelFeed(ctx, id);
  await channelFeed(ctx, 1);
  ctx.hub.listen(channelTopic(2), () => {});
  expect(has(1, 2, 3, 4)).toEqual([true, true, true, true]);
  await channelFeed(ctx, KEPT + 1);
  await channelFeed(ctx, KEPT + 2);
  expect(has(1, 2, 3, 4, 5, KEPT, KEPT + 2)).toEqual([true, true, false, false, true, true, true]);
});

test("on a node of a cluster a channel has a feed as soon as somebody listens, and none on a lone server", async () => {
  await using database = await openFreshSqlite();
  await using stack = new AsyncDisposableStack();
  const onClose = (close: () => unknown) => stack.defer(async () => void (await close()));
  const node = testContext(database, { cluster: oneNode, onClose });
  const lone = testContext(database, { onClose });
  for (const ctx of [node, lone]) {
    startFeeds(ctx);
    await ctx.hub.listen(channelTopic(1), () => {}).ready;
    expect(feeds(ctx).peek(1) !== undefined).toBe(ctx === node);
  }
  await channelFeed(node, 1);
});
