import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { payoutRequests } from "../red-packets/claim/payout-port.ts";
import { payoutChanged } from "../red-packets/claim/payout-results.ts";
import { onPayout } from "./payout-listeners.ts";
import { startReconcileJob } from "./reconcile/reconcile-job.ts";
import { requestPayout } from "./requests.ts";
import { startWorker } from "./send/worker.ts";
import { startTreasury, treasuryCanPay } from "./treasury.ts";

/**
 * Registers payouts with the packets and starts the jobs. Call it after the chains are loaded; without chains nothing
 * runs.
 */
export function startPayouts(ctx: AppContext): void {
  onPayout(ctx, payoutChanged);
  if (chainsOf(ctx).all.length === 0) return;
  payoutRequests(ctx, { request: requestPayout, problem: treasuryCanPay });
  startWorker(ctx);
  startTreasury(ctx);
  startReconcileJob(ctx);
}
