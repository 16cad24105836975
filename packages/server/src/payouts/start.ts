import { loadedChains } from "../chains/start.ts";
import type { Config } from "../config/config.ts";
import type { AppContext } from "../context.ts";
import { payoutRequests } from "../red-packets/claim/payout-port.ts";
import { payoutChanged } from "../red-packets/claim/payout-results.ts";
import { onPayout } from "./payout-listeners.ts";
import { startReconcileJob } from "./reconcile/reconcile-job.ts";
import { requestPayout } from "./requests.ts";
import { startWorker } from "./send/worker.ts";
import { startTreasury, treasuryCanPay } from "./treasury.ts";

const namesChains = ({ evmRpcUrls, solanaRpcUrls }: Config): boolean =>
  evmRpcUrls.length > 0 || solanaRpcUrls.length > 0;

/** Registers payouts with the red packets. Without chains nobody can ask for one. */
export function offerPayouts(ctx: AppContext): void {
  onPayout(ctx, payoutChanged);
  if (namesChains(ctx.config)) payoutRequests(ctx, { request: requestPayout, problem: treasuryCanPay });
}

/** Starts the jobs when the chains are loaded; without chains nothing runs. */
export async function startPayouts(ctx: AppContext): Promise<void> {
  if (!namesChains(ctx.config)) return;
  await loadedChains(ctx);
  startWorker(ctx);
  startTreasury(ctx);
  startReconcileJob(ctx);
}
