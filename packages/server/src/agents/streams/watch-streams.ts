import { startBackgroundJob } from "../../base/background-job.ts";
import { writableChannel } from "../../channels/access/access.ts";
import { duty } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { recheckKey } from "../keys/keys.ts";
import { cancelIfRefused, cancelStream, interruptStream } from "./end-stream.ts";
import { openStreams } from "./open-streams.ts";
import { isDraft, isIdle, writerOf } from "./stream-record.ts";
import { deleteCancelled, openAfter } from "./streams.store.ts";

const WATCH_MS = 1_000;
const READ_AT_ONCE = 200;
const FORGET_EVERY_MS = 60 * 60 * 1_000;
/** For how long a cancelled stream answers how it ended. */
const CANCELLED_MS = 24 * 60 * 60 * 1_000;

/**
 * Ends streams whose agents can't (protocol §12.7): after 60 s without an append, when the key is over or the agent
 * paused, and when it may no longer post in the channel. A lone server begins with the texts that a crash has left; an
 * agent that had written nothing yet goes on. In a cluster another node takes the next piece, or ends the stream.
 */
export async function startStreams(ctx: AppContext): Promise<void> {
  if (ctx.cluster === null) await endStreams(ctx, async ({ length }) => length > 0);
  const since = ctx.clock.now();
  await openStreams(ctx).complete();
  const isOwn = duty(ctx, "end streams");
  let forgottenAt = Number.NEGATIVE_INFINITY;
  startBackgroundJob(ctx, WATCH_MS, "ending streams failed", async () => {
    await openStreams(ctx).complete();
    if (!isOwn()) return;
    if (!openStreams(ctx).isEmpty) await endStreams(ctx, (row) => isOver(ctx, row, since));
    const now = ctx.clock.monotonic();
    if (now - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = now;
    await deleteCancelled(ctx.db, ctx.clock.now() - CANCELLED_MS);
  });
}

type Open = Awaited<ReturnType<typeof openAfter>>[number];

/** Ends the open streams that are over, as interrupted; drafts leave nothing. */
async function endStreams(ctx: AppContext, isOver: (row: Open) => Promise<boolean>): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await openAfter(ctx.db, after, READ_AT_ONCE);
    for (const row of rows) {
      after = row.id;
      try {
        if (!(await isOver(row))) continue;
        if (isDraft(row)) await cancelStream(ctx, row.id);
        else await interruptStream(ctx, row.id, writerOf(row));
      } catch (err) {
        // One that can't be ended now must not keep the others open.
        ctx.log.warn({ err, streamId: row.id }, "ending a stream failed");
      }
    }
    if (rows.length < READ_AT_ONCE) return;
  }
}

/** `since`: while no server ran, no agent could write. */
async function isOver(ctx: AppContext, row: Open, since: number): Promise<boolean> {
  const { client_msg_id, appended_at } = row;
  if (isIdle({ client_msg_id, appended_at: Math.max(appended_at, since) }, ctx.clock.now())) return true;
  const writer = writerOf(row);
  try {
    await recheckKey(ctx, writer);
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return true;
    throw error;
  }
  try {
    await cancelIfRefused(ctx, row.id, async () => writableChannel(ctx, writer, { id: row.channel_id }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return false;
}
