import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { payoutHook } from "../packets/payout-hook.ts";
import { payoutChanged } from "../packets/payout-results.ts";
import { requestPayout } from "./requests.ts";
import { onPayout } from "./telling.ts";
import { startTreasury, treasuryCanPay } from "./treasury.ts";
import { startWatch } from "./watch.ts";
import { startWorker } from "./worker.ts";

/**
 * Registers payouts with the packets and starts the jobs. Call it after the chains are loaded; without chains nothing
 * runs.
 */
export function startPayouts(ctx: AppContext): void {
  onPayout(ctx, payoutChanged);
  if (chainsOf(ctx).all.length === 0) return;
  payoutHook(ctx).use({ request: requestPayout, problem: treasuryCanPay });
  startWorker(ctx);
  startTreasury(ctx);
  startWatch(ctx);
}
