import { type AppContext, perServer } from "../../context.ts";
import { newEpoch } from "../../db/backup.ts";
import { replaceEpoch } from "../../db/database.ts";

/** What shows that committed events are lost. */
export interface LostHistory {
  channelId: number;
  /** The seq that this node has delivered. */
  passedOn: number;
  /** The highest seq in the database, or the one that was given away again. */
  found: number;
}

const state = perServer(() => ({ isReported: false }));

/**
 * Reports that the database has lost events which were acknowledged and delivered, as a failover to an asynchronous
 * standby does. It changes the epoch of the data, once for the whole cluster: every node notices it with its heartbeat,
 * ends and is restarted, and its clients load their channels afresh, because the same numbers now mean other events.
 */
export async function historyWentBack(ctx: AppContext, lost: LostHistory): Promise<void> {
  const own = state(ctx);
  if (own.isReported) return;
  own.isReported = true;
  ctx.log.error(
    lost,
    "The database has lost committed messages: a channel's history is shorter than what was delivered. " +
      "The epoch changes, and every node starts again. A synchronous standby prevents this.",
  );
  try {
    await replaceEpoch(ctx.db, ctx.epoch, newEpoch(ctx.clock));
  } catch (error) {
    // The next tail check reports it again.
    own.isReported = false;
    throw error;
  }
}
