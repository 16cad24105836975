import { askChain, type ChainAsker } from "../../chains/ask-chain.ts";
import type { Chain, Observed, Transfer } from "../../chains/chain.ts";
import { type AppContext, perServer } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { transfersTo } from "../../onchain/transaction-purpose.ts";
import type { Requirements } from "../offers/offers.ts";

/** A chain that failed this recently is not queried again for callers waiting for the same answer. */
const SILENCE_MS = 1_000;
const silentUntil = perServer(() => new Map<Chain, { until: number; error: unknown }>());

/**
 * Returns what the chain knows of a transaction; a chain that just failed is not queried again at once. `asker`: who
 * waits for a turn; null for an authorization that was sent already, which must not wait.
 * Errors: `chain_unavailable`.
 */
export async function observeTransaction(
  ctx: AppContext,
  chain: Chain,
  txHash: string,
  asker: ChainAsker | null,
): Promise<Observed> {
  const silence = silentUntil(ctx).get(chain);
  if (silence !== undefined && ctx.clock.monotonic() < silence.until) throw silence.error;
  const observe = async () => {
    try {
      return await slowly(ctx, "chain", () => chain.observe(txHash));
    } catch (error) {
      silentUntil(ctx).set(chain, { until: ctx.clock.monotonic() + SILENCE_MS, error });
      throw error;
    }
  };
  return asker === null ? observe() : askChain(ctx, chain, asker, observe);
}

/** Codes of a 402 that report what is wrong with a transaction (protocol §7). */
export type Shortfall =
  | "tx_not_found"
  | "tx_failed"
  | "wrong_recipient"
  | "wrong_currency"
  | "amount_too_low"
  | "payment_pending";

export type Verdict =
  | { readonly kind: "refused"; readonly code: Shortfall }
  | { readonly kind: "paid"; readonly transfer: Transfer };

/**
 * Returns whether a transaction meets the requirements, judged by the chain's record. Of native coins only top-level
 * transfers are seen (chains/evm/transaction.ts). A single transfer must suffice: several small ones are not added up.
 */
export function paymentVerdict(observed: Observed, required: Omit<Requirements, "chain">): Verdict {
  const { state } = observed;
  if (state === "unknown") return refused("tx_not_found");
  if (state === "pending") return refused("payment_pending");
  if (state === "failed") return refused("tx_failed");
  const transfers = transfersTo(observed, required);
  if (typeof transfers === "string") return refused(transfers);
  const [largest] = transfers.toSorted((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0));
  const transfer = transfers.find(({ amount }) => amount === required.exact) ?? largest;
  if (transfer === undefined || transfer.amount < required.amount) return refused("amount_too_low");
  return state === "final" ? { kind: "paid", transfer } : refused("payment_pending");
}

const refused = (code: Shortfall): Verdict => ({ kind: "refused", code });

/** Returns the `problem` in the details of a refusal, which says more than its code; null if there is none. */
export function problemOf(error: unknown): string | null {
  if (!(error instanceof AppError)) return null;
  const { details } = error;
  return typeof details === "object" && details !== null && "problem" in details ? String(details.problem) : null;
}
