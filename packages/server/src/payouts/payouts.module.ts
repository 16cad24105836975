import { loadedChains } from "../chains/start.ts";
import type { Config } from "../config/config.ts";
import type { Module } from "../module.ts";
import { payoutRequests } from "../red-packets/claim/payout-port.ts";
import { payoutChanged } from "../red-packets/claim/payout-results.ts";
import { checkPayouts, unpaidPayouts } from "./doctor.ts";
import { erasePayouts } from "./erase.ts";
import { onPayout } from "./payout-listeners.ts";
import { payoutRoutes } from "./payouts.routes.ts";
import { startReconcileJob } from "./reconcile/reconcile-job.ts";
import { requestPayout } from "./requests.ts";
import { startWorker } from "./send/worker.ts";
import { startTreasury, treasuryCanPay } from "./treasury.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<`payout_${"paid" | "retry"}` | `payouts_${"resume" | "stop"}`, true> {}
}

const namesChains = ({ evmRpcUrls, solanaRpcUrls }: Config): boolean =>
  evmRpcUrls.length > 0 || solanaRpcUrls.length > 0;

/** The outbox. Without chains nobody can ask for a payout, and nothing runs. */
export const payouts: Module = {
  name: "payouts",
  isValue: true,
  routes: payoutRoutes,
  erase: { payouts: erasePayouts },
  doctor: [checkPayouts],
  openWork: unpaidPayouts,
  register(ctx) {
    onPayout(ctx, payoutChanged);
    if (namesChains(ctx.config)) payoutRequests(ctx, { request: requestPayout, problem: treasuryCanPay });
  },
  async start(ctx) {
    if (!namesChains(ctx.config)) return;
    await loadedChains(ctx);
    startWorker(ctx);
    startTreasury(ctx);
    startReconcileJob(ctx);
  },
};
