import { runOnOne } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { hook } from "../../hook.ts";
import { deleteLapsedBans } from "../bans/bans.store.ts";
import { emptyChannel, findToPurge } from "./deleted.store.ts";
import { RESTORE_MS } from "./restore.service.ts";

const PASS_MS = 10 * 60_000;
/** Added to the restore period, for nodes whose clocks differ. */
const MARGIN_MS = 60 * 60_000;
/**
 * Rows per transaction, and transactions per pass: a pass takes at most a second and yields to the event loop in
 * between.
 */
const ROWS = 200;
const STEPS = 100;

/** Runs at the end of each pass: deletes what other slices still have of purged channels. */
export const onPurgePass = hook<(ctx: AppContext) => Promise<void>>();

/** Deletes some of a channel's content in the caller's transaction; returns false if nothing was left. */
export type PurgeSome = (ctx: AppContext, channelId: number, limit: number) => Promise<boolean>;

/** Starts the background purge of expired bans and of the content of channels deleted more than 7 days ago. */
export function startPurge(ctx: AppContext, purgeSome: PurgeSome): void {
  runOnOne(ctx, "purge channels", PASS_MS, "the purge of deleted channels failed", () => purgePass(ctx, purgeSome));
}

/**
 * Runs one pass. A purged channel's row stays, empty, so that its id is still known as deleted; the audit log, the
 * ledger and reports are unchanged. Returns whether more work remains.
 */
export async function purgePass(ctx: AppContext, purgeSome: PurgeSome): Promise<boolean> {
  await deleteLapsedBans(ctx.db, ctx.clock.now());
  const isDone = await purgeChannels(ctx, purgeSome);
  for (const act of onPurgePass.of(ctx)) await act(ctx);
  return !isDone;
}

/** Returns true if no channel is left to purge. */
async function purgeChannels(ctx: AppContext, purgeSome: PurgeSome): Promise<boolean> {
  for (let step = 0; step < STEPS; step += 1) {
    const now = ctx.clock.now();
    const channelId = await findToPurge(ctx.db, now - RESTORE_MS - MARGIN_MS, now);
    if (channelId === null) return true;
    await transact(ctx, async (ctx) => {
      if (await purgeSome(ctx, channelId, ROWS)) return;
      await emptyChannel(ctx.db, channelId, ctx.clock.now());
    });
    await new Promise(setImmediate);
  }
  return false;
}
