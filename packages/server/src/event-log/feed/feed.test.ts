import { expect, spyOn, test } from "bun:test";
import { testContext } from "../../../test/support/context.ts";
import { openFreshSqlite } from "../../../test/support/databases.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { channelFeed } from "./feed.ts";

const CHANNELS = 1_300;

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
