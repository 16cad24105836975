import { type AppContext, perServer } from "../../context.ts";
import { SEARCH_CURSORS } from "../../db/search-index/search-index.ts";
import { type Consumer, consumeMessages } from "../../event-log/consumer.ts";
import { charactersOfSpans, messagesOfSpans } from "./indexing.store.ts";
import { indexMessages } from "./message-index.ts";

/** The typical delay before a new message can be found. */
const EVERY_MS = 1_000;
const BATCH = 500;
/**
 * Characters that one transaction indexes: a Chinese text has two tokens for each, and on SQLite a transaction holds the
 * thread. Ordinary messages reach `BATCH` first.
 */
const CHARACTERS = 32 * 1024;

/**
 * Indexes new messages in the background, outside the send path. Edits and deletions are indexed at once
 * (`indexMessages`); they are indexed here again, because this process may have read a text just before it was edited.
 */
export const searchConsumer = perServer((ctx): Consumer => {
  const consumer = consumeMessages(ctx, {
    purpose: SEARCH_CURSORS,
    everyMs: EVERY_MS,
    batch: BATCH,
    fits: async (ctx, spans) => (await charactersOfSpans(ctx.db, spans)) <= CHARACTERS,
    handle: async (ctx, spans) => indexMessages(ctx, await messagesOfSpans(ctx.db, spans)),
  });
  ctx.metrics.searchLagFrom(() => consumer.behind);
  return consumer;
});

/** Starts indexing. */
export function startSearch(ctx: AppContext): void {
  searchConsumer(ctx);
}
