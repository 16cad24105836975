import type { Asset, Observed, Transfer } from "../../chains/chain.ts";

/** How far a block's time may precede the demand: block producers set it. */
export const SKEW_MS = 60_000;

/** The transfer that a payment must contain. */
export interface Wanted {
  readonly asset: Asset;
  readonly recipient: string;
  /** In the asset's smallest unit; a larger amount is accepted, too. */
  readonly amount: bigint;
  /** Prefers a transfer of exactly this amount; otherwise the largest one counts. */
  readonly exact?: bigint;
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
 * Returns whether this is the payment, judged by the chain's record. Of native coins only top-level transfers are seen
 * (chains/evm/transaction.ts). A single transfer must suffice: several small ones are not added up.
 */
export function paymentVerdict(observed: Observed, wanted: Wanted): Verdict {
  const { state } = observed;
  if (state === "unknown") return refused("tx_not_found");
  if (state === "pending") return refused("payment_pending");
  if (state === "failed") return refused("tx_failed");
  const here = observed.transfers.filter(({ recipient }) => recipient === wanted.recipient);
  if (here.length === 0) return refused("wrong_recipient");
  const { tokenAddress, currency } = wanted.asset;
  const ofAsset = here.filter(({ asset }) => asset.tokenAddress === tokenAddress && asset.currency === currency);
  if (ofAsset.length === 0) return refused("wrong_currency");
  const [largest] = ofAsset.toSorted((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0));
  const transfer = ofAsset.find(({ amount }) => amount === wanted.exact) ?? largest;
  if (transfer === undefined || transfer.amount < wanted.amount) return refused("amount_too_low");
  return state === "final" ? { kind: "paid", transfer } : refused("payment_pending");
}

const refused = (code: Shortfall): Verdict => ({ kind: "refused", code });
