import type { Insertable } from "kysely";
import {
  type Asset,
  type Chain,
  findAsset,
  type Outcome,
  type Payer,
  type SignedTransfer,
} from "../../chains/chain.ts";
import { limitOf } from "../../config/amounts.ts";
import type { AppContext } from "../../context.ts";
import type { PayoutAttemptsTable } from "../../db/tables/payouts.ts";
import { ledgerCurrency } from "../../ledger/account-names.ts";
import { dayOf } from "../limits.ts";
import { type AttemptRow, feesUnderWay, type PayoutRow, readDay } from "../payouts.store.ts";
import { readLease } from "./lease.store.ts";
import { haltOf, type Lease, LeaseLost } from "./lease.ts";

/** Context of the payout steps on one chain. */
export interface PayoutRun {
  readonly ctx: AppContext;
  readonly lease: Lease;
  readonly chain: Chain;
  readonly payer: Payer;
  /** Aborted when the server stops; no further payout is processed then. */
  readonly stopping: AbortSignal;
}

/** Payouts were stopped while one was under way; the payout stays as stored. */
export class Halted extends Error {
  constructor() {
    super("payouts are stopped");
    this.name = "Halted";
  }
}

/**
 * Throws if payouts may not continue. Called before signing or sending, and again in the transaction that stores the
 * result. @throws LeaseLost, Halted
 */
export async function assertNotHalted({ lease }: Pick<PayoutRun, "lease">, ctx: AppContext): Promise<void> {
  const row = await readLease(ctx.db);
  if (row.fence !== lease.fence) throw new LeaseLost();
  if (haltOf(ctx, row) !== null) throw new Halted();
}

/** Returns the asset that a payout moves, or null if the settings no longer allow it. */
export const assetOf = ({ chain }: Pick<PayoutRun, "chain">, { currency, token_address }: PayoutRow): Asset | null =>
  findAsset(chain, { currency: token_address === null ? currency : null, tokenAddress: token_address });

export const nativeOf = ({ assets }: Chain): Asset => {
  const native = assets.find(({ tokenAddress }) => tokenAddress === null);
  if (native === undefined) throw new Error("A chain must have a native coin.");
  return native;
};

export const gasCurrency = ({ chain }: Pick<PayoutRun, "chain">): string =>
  ledgerCurrency(chain.kind, chain.chainId, nativeOf(chain));

/**
 * Returns what may still be spent on gas today: the budget less the gas paid and the maximum cost of the transfers
 * under way, not counting payout `besides`. null: no limit.
 */
export async function gasLeft(
  { ctx, chain }: Pick<PayoutRun, "ctx" | "chain">,
  besides: number,
): Promise<bigint | null> {
  const budget = limitOf(ctx.config.payoutGasDailyMax, nativeOf(chain));
  if (budget === null) return null;
  const { gas } = await readDay(ctx.db, dayOf(ctx.clock.now()), gasCurrency({ chain }));
  const underWay = await feesUnderWay(ctx.db, chain);
  underWay.delete(besides);
  const left = [...underWay.values()].reduce((rest, fee) => rest - fee, budget - gas);
  return left > 0n ? left : 0n;
}

export const signedOf = ({ bytes, hash, nonce, fee, valid_until }: AttemptRow): SignedTransfer => ({
  bytes,
  hash,
  nonce: nonce === null ? null : BigInt(nonce),
  fee: BigInt(fee),
  validUntil: valid_until === null ? null : BigInt(valid_until),
});

/** Returns the row for a transfer that was just signed. */
export function attemptOf(
  { id, round }: Pick<PayoutRow, "id" | "round">,
  payer: string,
  signed: SignedTransfer,
  now: number,
): Insertable<PayoutAttemptsTable> {
  const { bytes, hash, nonce, fee, validUntil } = signed;
  return {
    payout_id: id,
    round,
    payer,
    nonce: nonce === null ? null : Number(nonce),
    bytes,
    hash,
    fee: String(fee),
    valid_until: validUntil === null ? null : String(validUntil),
    state: "live",
    created_at: now,
  };
}

/**
 * Returns the outcome of an attempt. If another key signed it, only the chain's record of the transaction counts:
 * whether a nonce is used is known for the current wallet only.
 */
export async function outcomeOf({ chain, payer }: PayoutRun, attempt: AttemptRow): Promise<Outcome> {
  if (attempt.payer === payer.address) return payer.outcome(signedOf(attempt));
  const { state, isFinal, block } = await chain.observe(attempt.hash);
  return { state, isFinal, block, feePaid: null };
}
