import { type AppContext, perServer } from "../context.ts";
import { newEpoch } from "../db/backup.ts";
import { replaceEpoch } from "../db/database.ts";

/** Proves that committed events are lost. */
export interface LostHistory {
  channelId: number;
  /** The seq that this node has delivered. */
  passedOn: number;
  /** The highest seq in the database, or the one that was given away again. */
  found: number;
}

/** Proves that committed control messages are lost. */
export interface LostControl {
  /** The newest row of `control_log` that this node has read. */
  control: number;
  /** The newest row in the database. */
  found: number;
}

const state = perServer(() => ({ isReported: false }));

/**
 * Reports that the database has lost what was acknowledged, as a failover to an asynchronous standby does. It changes
 * the epoch of the data, once for the whole cluster: every node notices it with its heartbeat, ends and is restarted,
 * and its clients load their channels afresh, because the same numbers now mean other events, users and channels.
 */
export async function historyWentBack(ctx: AppContext, lost: LostHistory | LostControl): Promise<void> {
  const own = state(ctx);
  if (own.isReported) return;
  own.isReported = true;
  ctx.log.error(
    lost,
    "The database has lost commits that were acknowledged: it knows less than this node has already read. " +
      "The epoch changes, and every node starts again. A synchronous standby prevents this.",
  );
  try {
    await replaceEpoch(ctx.db, ctx.epoch, newEpoch(ctx.clock));
  } catch (error) {
    // The next check reports it again.
    own.isReported = false;
    throw error;
  }
}
