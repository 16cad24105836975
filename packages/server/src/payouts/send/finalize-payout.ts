import type { AppContext } from "../../context.ts";
import type { PayoutHold } from "../../db/tables/payouts.ts";
import { gasAccount, owedAccount, treasuryAccount } from "../../ledger/account-names.ts";
import { postTransfer } from "../../ledger/ledger.ts";
import { dayOf } from "../limits.ts";
import { notifyPayoutListeners } from "../payout-listeners.ts";
import { addToDay, endAttempts, movePayout, type PayoutRow } from "../payouts.store.ts";

/** How a payout ends: paid by an attempt, or unpaid because nothing that was signed can pay it any more. */
export interface PayoutEnd {
  as: "settled" | "failed";
  /** The transaction on the chain; omitted if there is none. */
  by?: { attemptId: number; hash: string; feePaid: bigint | null; gasCurrency: string };
  hold?: PayoutHold;
}

/**
 * Ends a payout inside the lease holder's transaction: closes its attempts, settles the ledger's debt, books the gas
 * cost and notifies the listeners.
 * @throws Error if the payout has changed since it was read
 */
export async function finalizePayout(ctx: AppContext, payout: PayoutRow, { as, by, hold }: PayoutEnd): Promise<void> {
  const now = ctx.clock.now();
  const moved = await movePayout(ctx.db, payout, {
    state: as,
    hold: hold ?? (as === "settled" ? null : payout.hold),
    hash: by?.hash ?? null,
    fee_paid: by?.feePaid == null ? null : String(by.feePaid),
    // A nonce that nothing was signed with becomes free.
    ...(payout.state === "numbered" ? { payer: null, nonce: null } : {}),
    updated_at: now,
    ended_at: now,
  });
  if (!moved) throw new Error(`The payout ${payout.id} was changed by another transaction.`);
  await endAttempts(ctx.db, payout.id, as === "settled" && by !== undefined ? by.attemptId : null);
  await notifyPayoutListeners(ctx, payout, { status: as, hash: by?.hash ?? null });
  if (as === "settled" && payout.purpose !== "gap") await payOff(ctx, payout);
  if (by?.feePaid != null) await payGas(ctx, payout, by.feePaid, by.gasCurrency);
}

/** Removes the debt from the ledger. Idempotent: the key is the payout's. */
async function payOff(ctx: AppContext, { id, chain, chain_id, ledger_currency, amount }: PayoutRow): Promise<void> {
  const value = BigInt(amount);
  await postTransfer(ctx, {
    key: `payout:${id}`,
    kind: "payout",
    currency: ledger_currency,
    legs: [
      { account: owedAccount(chain, chain_id), amount: -value },
      { account: treasuryAccount(chain, chain_id), amount: value },
    ],
  });
}

/** Books the gas, also for a transfer that failed on the chain: its gas is spent. */
async function payGas(ctx: AppContext, payout: PayoutRow, fee: bigint, currency: string): Promise<void> {
  const { id, round, chain, chain_id } = payout;
  if (fee === 0n) return;
  await postTransfer(ctx, {
    key: `payout_gas:${id}:${round}`,
    kind: "payout_gas",
    currency,
    legs: [
      { account: gasAccount(chain, chain_id), amount: -fee },
      { account: treasuryAccount(chain, chain_id), amount: fee },
    ],
  });
  await addToDay(ctx.db, dayOf(ctx.clock.now()), currency, { gas: fee });
}
