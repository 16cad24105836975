import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { purgeSome } from "../messages/purge.ts";
import { repeat } from "../repeat.ts";
import { deleteLapsedBans } from "./bans.store.ts";
import { emptyChannel, findToPurge } from "./deleted.store.ts";
import { RESTORE_MS } from "./restore.service.ts";

const PASS_MS = 10 * 60_000;
/** Beyond the time in which it can be restored, for nodes whose clocks differ. */
const MARGIN_MS = 60 * 60_000;
/** Rows in one transaction, and transactions in one pass: a pass takes a second at most, with the loop free in between. */
const ROWS = 200;
const STEPS = 100;

/** Deletes for good, for as long as the server runs, what channels held that were deleted more than 7 days ago, and bans that have lapsed. */
export function startPurge(ctx: AppContext): void {
  repeat(ctx, PASS_MS, "the purge of deleted channels failed", () => purgePass(ctx));
}

/**
 * One pass. Of a channel the row stays, empty, so that its number is still known as one that is gone; the audit log, the ledger and
 * reports stay as they are. Tells whether there is more to do.
 */
export async function purgePass(ctx: AppContext): Promise<boolean> {
  await deleteLapsedBans(ctx.db, ctx.clock.now());
  for (let step = 0; step < STEPS; step += 1) {
    const channelId = await findToPurge(ctx.db, ctx.clock.now() - RESTORE_MS - MARGIN_MS);
    if (channelId === null) return false;
    await transact(ctx, async (ctx) => {
      if (await purgeSome(ctx, channelId, ROWS)) return;
      await emptyChannel(ctx.db, channelId, ctx.clock.now());
    });
    await new Promise(setImmediate);
  }
  return true;
}
