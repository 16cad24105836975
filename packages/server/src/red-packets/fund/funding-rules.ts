import type { Asset, Observed } from "../../chains/chain.ts";

/**
 * How long before the packet a transfer may have been made, as its hash may be sent with the packet. Older ones were
 * for something else.
 */
export const FUNDING_LEAD_MS = 3_600_000;

/** The transfer that funds a packet (protocol §6). */
export interface FundingTerms {
  readonly asset: Asset;
  /** The platform's wallet. */
  readonly recipient: string;
  readonly amount: bigint;
  /** The sender's own addresses; the transfer must come from one of them or carry the reference. */
  readonly senders: readonly string[];
  readonly reference: string | null;
  /** Creation time of the packet, epoch milliseconds. */
  readonly createdAt: number;
}

/** Why a transaction does not match: `problem` in the details of `funding_mismatch`. */
export type FundingProblem =
  | "tx_failed"
  | "wrong_recipient"
  | "wrong_currency"
  | "wrong_amount"
  | "wrong_sender"
  | "too_old";

export type FundingVerdict =
  /** It may still match later. */
  | { readonly kind: "wait" }
  | { readonly kind: "refused"; readonly problem: FundingProblem }
  /**
   * It funds the packet; permanent if `isFinal`. `funder`: the address that paid. `isNamed`: it carries the packet's
   * reference.
   */
  | { readonly kind: "funds"; readonly funder: string; readonly isNamed: boolean; readonly isFinal: boolean };

/** Returns whether a transaction funds a packet. The amount must be exact: refunding an excess would cost a fee. */
export function fundingVerdict(observed: Observed, terms: FundingTerms): FundingVerdict {
  const { state, isFinal, block } = observed;
  if (state === "failed" && isFinal) return refused("tx_failed");
  if (state !== "confirming" && state !== "final") return { kind: "wait" };
  const here = observed.transfers.filter(({ recipient }) => recipient === terms.recipient);
  if (here.length === 0) return refused("wrong_recipient");
  const { tokenAddress, currency } = terms.asset;
  const ofAsset = here.filter(({ asset }) => asset.tokenAddress === tokenAddress && asset.currency === currency);
  if (ofAsset.length === 0) return refused("wrong_currency");
  const exact = ofAsset.filter(({ amount }) => amount === terms.amount);
  if (exact.length === 0) return refused("wrong_amount");
  const isNamed = terms.reference !== null && observed.references.includes(terms.reference);
  // Transfers of the platform to itself bring nothing in.
  const own = exact.find(({ sender }) => sender !== terms.recipient && (isNamed || terms.senders.includes(sender)));
  if (own === undefined) return refused("wrong_sender");
  if (block === null || block.time < terms.createdAt - FUNDING_LEAD_MS) return refused("too_old");
  return { kind: "funds", funder: own.sender, isNamed, isFinal: state === "final" };
}

const refused = (problem: FundingProblem): FundingVerdict => ({ kind: "refused", problem });
