import type { ErrorDetails } from "@parley/protocol/error-details";
import type { Asset, Chain, ChainKind } from "../../chains/chain.ts";
import type { AppContext } from "../../context.ts";
import { port } from "../../hook.ts";

/** A transfer on a chain that a packet owes. */
export interface PayoutRequest {
  /** Idempotency key, from `claimKey` or `refundKey`: each is paid once, for ever. */
  readonly key: string;
  readonly reason: "claim" | "refund";
  readonly chain: ChainKind;
  readonly chainId: number;
  /** The symbol; `tokenAddress` is the token's contract or mint, null for the native coin. */
  readonly currency: string;
  readonly tokenAddress: string | null;
  /** In the spelling of `Chain.normalAddress`. */
  readonly to: string;
  readonly amount: bigint;
}

/** Returns the key of a claim's payout. */
export const claimKey = (packetId: number, userId: number): string => `packet:${packetId}:claim:${userId}`;

/** Returns the key of the refund, in the ledger and among the payouts. */
export const refundKey = (packetId: number): string => `packet:${packetId}:refund`;

/** Returns what a key is for; `userId` is null for a refund. Returns null for a key that is not of a packet. */
export function parsePayoutKey(key: string): { readonly packetId: number; readonly userId: number | null } | null {
  const [, packetId, userId] = /^packet:(\d+):(?:claim:(\d+)|refund)$/.exec(key) ?? [];
  return packetId === undefined
    ? null
    : { packetId: Number(packetId), userId: userId === undefined ? null : Number(userId) };
}

/** The maker of these transfers: the slice `payouts`. */
export interface PayoutRequests {
  /**
   * Stores the request in the caller's transaction, and nothing more. Idempotent by key. The caller has put the amount
   * into `owedAccount` in that transaction; settling moves it on to `treasuryAccount`, once.
   */
  request(ctx: AppContext, payout: PayoutRequest): Promise<void>;
  /**
   * Returns in a word why a new packet on that chain must be refused now; null: `count` shares, each at most `largest`,
   * can be paid. It may query the chain, so do not call it inside a transaction. Errors: `chain_unavailable`.
   */
  problem(
    ctx: AppContext,
    promised: { chain: Chain; asset: Asset; largest: bigint; count: number },
  ): Promise<ErrorDetails["payouts_unavailable"]["reason"] | null>;
}

/**
 * Where `payouts` registers itself when the server starts. It reports results to `payoutChanged` (payout-results.ts).
 * Absent: nothing here can pay on a chain, so packets on chains cannot be created.
 */
export const payoutRequests = port<PayoutRequests>("payout requests");
