import type { AppContext } from "../context.ts";
import { lockRows } from "../db/dialect.ts";
import { searchIndex } from "../db/search-index/index-of-database.ts";
import { FORMER_SEARCH_CURSORS, SEARCH_CURSORS } from "../db/search-index/search-index.ts";
import { deleteOldestEvents } from "../event-log/rows.ts";
import { removeFilesOfChannel, removeFilesOfMessages } from "../files/removal.ts";
import { hook } from "../hook.ts";
import { publishControl } from "../realtime/control/control.ts";
import { withdrawQuestions } from "./cards/erase.ts";
import { deleteItemsOf } from "./inbox/inbox-rows.ts";
import * as store from "./purge.store.ts";
import { blankChannel, oldestMessages } from "./purge.store.ts";
import { recount, rootsOfReplies } from "./threads/summaries.ts";

/**
 * Removes what a slice above stores about messages, in the transaction that removes their content. `ids` is not empty.
 */
export const onRemoval = hook<(ctx: AppContext, ids: readonly number[]) => Promise<unknown>>();

/**
 * Removes messages of one channel for good, in the caller's transaction: rows, search index, inbox items, reactions,
 * and what other slices store about them. Reports stay: they belong to the moderators and contain a copy of the
 * message. The caller holds the lock of the channel's row, and sees to the events.
 */
export async function removeMessages(ctx: AppContext, channelId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rootIds = await rootsOfReplies(ctx.db, ids);
  await removeContent(ctx, channelId, ids);
  await store.deleteRows(ctx.db, ids);
  await recountThreads(ctx, channelId, rootIds);
}

/** Removes the same, but leaves tombstones, which keep their senders, times and numbers. */
export async function removeToTombstones(ctx: AppContext, channelId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rootIds = await rootsOfReplies(ctx.db, ids);
  await removeContent(ctx, channelId, ids);
  await store.blankMessages(ctx.db, ids, ctx.clock.now());
  await recountThreads(ctx, channelId, rootIds);
}

/** Lets tombstones of expired messages stay for good, as those of deleted messages do. */
export const keepTombstones = (ctx: AppContext, ids: readonly number[]): Promise<void> =>
  store.keepTombstones(ctx.db, ids);

async function removeContent(ctx: AppContext, channelId: number, ids: readonly number[]): Promise<void> {
  // Otherwise the index could get the words of a message that is gone.
  await lockCursor(ctx, SEARCH_CURSORS, channelId);
  await lockCursor(ctx, FORMER_SEARCH_CURSORS, channelId);
  await searchIndex(ctx.db).remove(ctx.db, ids);
  await deleteItemsOf(ctx.db, ids);
  await removeFilesOfMessages(ctx, ids);
  await withdrawQuestions(ctx, ids);
  for (const step of onRemoval.of(ctx)) await step(ctx, ids);
}

/** Has the roots of removed replies count again, and the feeds show it. */
async function recountThreads(ctx: AppContext, channelId: number, rootIds: readonly number[]): Promise<void> {
  for (const rootId of rootIds) await recount(ctx.db, rootId);
  if (rootIds.length > 0) publishControl(ctx, "history_rewritten", { channelId, seq: Number.MAX_SAFE_INTEGER });
}

/**
 * Makes a consumer wait until the transaction ends, or waits for the span that it handles in this channel. Call it
 * before messages are removed that the consumer may have read: what it derives from them is then removed with them, or
 * not made. Call it under the lock of the channel's row.
 */
async function lockCursor(ctx: AppContext, purpose: string, channelId: number): Promise<void> {
  const cursor = ctx.db
    .selectFrom("channel_cursors")
    .select("seq")
    .where("purpose", "=", purpose)
    .where("channel_id", "=", channelId);
  await lockRows(ctx.db, cursor).execute();
}

/**
 * Permanently deletes up to `limit` messages or events of a channel, in the caller's transaction. Returns false if
 * nothing was left except, at most, an empty row: the newest message of all channels keeps its row, because its id must
 * not be reused.
 */
export async function purgeSome(ctx: AppContext, channelId: number, limit: number): Promise<boolean> {
  const ids = await oldestMessages(ctx.db, channelId, limit);
  if (ids.length > 0) {
    await removeMessages(ctx, channelId, ids);
    return true;
  }
  if ((await deleteOldestEvents(ctx.db, channelId, limit)) > 0) return true;
  await removeFilesOfChannel(ctx, channelId);
  await blankChannel(ctx.db, channelId, ctx.clock.now());
  return false;
}
