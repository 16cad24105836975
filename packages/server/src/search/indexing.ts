import { type AppContext, perServer } from "../context.ts";
import { type Follower, followMessages } from "../messages/follower.ts";
import { indexMessages } from "./message-index.ts";
import { messagesOfSpan } from "./search.store.ts";

/** A message is found this long after it was sent, when the server has time. */
const EVERY_MS = 1_000;
const BATCH = 500;

/**
 * Keeps the index up with what is sent, beside the send path. Edits and deletions are in it at once (`indexMessages`); they come by here once
 * more, because the two may cross: a text read here just before it was edited.
 */
export const searchFollower = perServer((ctx): Follower => {
  const follower = followMessages(ctx, {
    purpose: "search",
    everyMs: EVERY_MS,
    batch: BATCH,
    handle: async (ctx, span) => indexMessages(ctx, await messagesOfSpan(ctx.db, span)),
  });
  ctx.metrics.searchLagFrom(() => follower.behind);
  return follower;
});

/** Begins to index. */
export function startSearch(ctx: AppContext): void {
  searchFollower(ctx);
}
