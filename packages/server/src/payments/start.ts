import { chainsOf } from "../chains/chains.ts";
import { loadedChains } from "../chains/start.ts";
import type { AppContext } from "../context.ts";
import { StartupError } from "../db/startup-error.ts";
import { platformRecipient } from "./offers/offers.ts";
import { startRecheck } from "./recheck.ts";
import { learnDomains } from "./settle/exact-entry.ts";

/**
 * Starts the background jobs of payments if any chain has a recipient, when the chains are loaded.
 * @throws StartupError if a configured recipient is on none of them
 */
export async function startPayments(ctx: AppContext): Promise<void> {
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
