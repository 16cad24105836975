import { findChannel } from "../channels/channel-cache.ts";
import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { tryLockChannel } from "../event-log/events.ts";
import { storedMessage } from "../messages/message-hooks.ts";
import { pollOf } from "./poll-record.ts";
import { closeUnderLock } from "./polls.service.ts";
import { deletePolls, duePolls, endPoll, orphanedPolls } from "./polls.store.ts";

const EVERY_MS = 1_000;
const AT_ONCE = 100;
const FORGET_EVERY_MS = 10 * 60_000;

/** Starts closing polls at their time, and removing what is left of those whose messages are gone, on one node. */
export function startPolls(ctx: AppContext): void {
  runOnOne(ctx, "close polls", EVERY_MS, "closing polls failed", () => closeDuePolls(ctx));
  runOnOne(ctx, "forget polls", FORGET_EVERY_MS, "forgetting polls failed", () => forgetPolls(ctx));
}

/**
 * Closes every poll whose time is over, each in a transaction of its own. Two nodes may do this at once: the second finds
 * it closed, under the lock.
 */
export async function closeDuePolls(ctx: AppContext): Promise<void> {
  for (;;) {
    const due = await duePolls(ctx.db, ctx.clock.now(), AT_ONCE);
    for (const { message_id, channel_id } of due)
      await transact(ctx, (ctx) => closeDue(ctx, { id: message_id, channelId: channel_id }));
    if (due.length < AT_ONCE) return;
  }
}

async function closeDue(ctx: AppContext, { id, channelId }: { id: number; channelId: number }): Promise<void> {
  // A channel that is deleted meanwhile keeps its polls, until it is restored or purged.
  if (!(await tryLockChannel(ctx, channelId))) return;
  const message = await storedMessage(ctx, id);
  const poll = message === undefined ? undefined : pollOf(message);
  // A node of the release before deletes messages without knowing of polls.
  if (message === undefined || poll === undefined) return deletePolls(ctx.db, [id]);
  const channelSlug = (await findChannel(ctx, { id: channelId }))?.slug ?? "";
  const closed = await closeUnderLock(ctx, { message, channelSlug }, poll);
  if (closed === poll) await endPoll(ctx.db, id, ctx.clock.now());
}

/** Removes polls and votes whose messages a node of the release before has deleted. */
export async function forgetPolls(ctx: AppContext): Promise<void> {
  for (;;) {
    const ids = await orphanedPolls(ctx.db, AT_ONCE);
    if (ids.length > 0) await deletePolls(ctx.db, ids);
    if (ids.length < AT_ONCE) return;
  }
}
