import type { AppContext } from "../../context.ts";
import { appendEvent, tryLockChannel } from "../../event-log/events.ts";
import { summaryOf } from "../../event-log/thread-summary.ts";
import { findMessage } from "../messages.store.ts";
import { recount, repliesIn, rootsOfReplies } from "./summaries.ts";

/**
 * Counts threads again from which a node of the release before threads deleted replies: it did not know that their roots
 * count them. Call it inside `transact`, once for messages that were deleted; it may be too often. A lone server has no
 * such node beside it, and pays nothing.
 */
export async function mendThreads(
  ctx: AppContext,
  channel: { id: number; slug: string },
  deletedIds: readonly number[],
): Promise<void> {
  if (ctx.cluster === null || deletedIds.length === 0) return;
  for (const rootId of await rootsOfReplies(ctx.db, deletedIds)) {
    const root = await findMessage(ctx.db, rootId);
    if (root === undefined || summaryOf(root.thread).count === (await repliesIn(ctx.db, rootId))) continue;
    if (!(await tryLockChannel(ctx, channel.id))) return;
    const counted = await recount(ctx.db, rootId);
    const row = await findMessage(ctx.db, rootId);
    if (counted === undefined || row === undefined) continue;
    await appendEvent(ctx, channel.id, "message:update", { message: { row, channelSlug: channel.slug } });
  }
}
