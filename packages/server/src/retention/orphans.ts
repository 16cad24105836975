import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { forgetEvents, orphanedEvents } from "../event-log/gone-events.ts";
import { channelState } from "../event-log/rows.ts";

/** Seqs looked through at once. */
const SEQS = 2_000;

/**
 * Empties the events after `from` about messages that were removed: edits, pins and reactions keep only their number
 * and the message's id. Nobody reads them before that, either: such events are sent as `message:delete` (`loadEvents`).
 */
export async function forgetOrphans(ctx: AppContext, channelId: number, from: number): Promise<void> {
  const upTo = (await channelState(ctx.db, channelId))?.last_seq ?? 0;
  for (let after = from; after < upTo; after += SEQS) {
    const found = await orphanedEvents(ctx.db, channelId, { after, upTo: Math.min(after + SEQS, upTo) });
    if (found.length > 0) await transact(ctx, (ctx) => forgetEvents(ctx.db, channelId, found));
    // A synchronous database would otherwise never yield to the event loop.
    await new Promise(setImmediate);
  }
}
