import { chainsOf } from "../chains/chains.ts";
import { loadedChains } from "../chains/start.ts";
import type { AppContext } from "../context.ts";
import { StartupError } from "../db/startup-error.ts";
import type { Module } from "../module.ts";
import { checkFacilitator, paymentsUnderWay } from "./doctor.ts";
import { erasePayments } from "./erase.ts";
import { exportPayments } from "./export.ts";
import { platformRecipient } from "./offers/offers.ts";
import { paymentRoutes } from "./payments.routes.ts";
import { startRecheck } from "./recheck.ts";
import { learnDomains } from "./settle/exact.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<`paid_${"add" | "remove"}`, true> {}
}

export const payments: Module = {
  name: "payments",
  isValue: true,
  routes: paymentRoutes,
  tags: { Payments: "Channels and files with a price, paid by HTTP 402." },
  erase: { payments: erasePayments },
  exports: { payments: exportPayments },
  doctor: [checkFacilitator],
  openWork: paymentsUnderWay,
  guide: [
    {
      name: "payments",
      part: "agents",
      about: "channels and files that have a price, by HTTP 402",
      text: () => import("../../../../docs/guide/payments.md", { with: { type: "text" } }),
    },
  ],
  start: startPayments,
};

/**
 * Starts the background jobs of payments if any chain has a recipient, when the chains are loaded.
 * @throws StartupError if a configured recipient is on none of them
 */
async function startPayments(ctx: AppContext): Promise<void> {
  await loadedChains(ctx);
  const chains = chainsOf(ctx).all;
  for (const text of ctx.config.paymentRecipients) {
    if (chains.some((chain) => chain.isAddress(text))) continue;
    throw new StartupError(
      `PARLEY_PAYMENT_RECIPIENT has ${text}, which is not an address on a configured chain. Check its checksum, PARLEY_EVM_RPC_URL and PARLEY_SOLANA_RPC_URL.`,
    );
  }
  if (!chains.some((chain) => platformRecipient(ctx, chain) !== null)) return;
  if (ctx.config.paymentAllowUnbound) {
    ctx.log.warn(
      "payments: PARLEY_PAYMENT_ALLOW_UNBOUND is on: if nothing identifies the payer, the first caller who sends the transaction's hash gets what it paid for",
    );
  }
  // Nobody waits for this: if a chain is silent now, the periodic recheck asks it again.
  learnDomains(ctx).catch((error) => ctx.log.error({ err: error }, "reading the tokens' signing domains failed"));
  startRecheck(ctx);
}
