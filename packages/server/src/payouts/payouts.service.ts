import type { PayoutRecord, PayoutsQuery, PayoutsResponse } from "@parley/protocol/payouts";
import { type AuditActor, audit } from "../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import { pageBefore } from "../http/pages.ts";
import { payoutsHalt } from "./pause-payouts.ts";
import { notifyPayoutListeners } from "./payout-listeners.ts";
import { findPayout, liveAttempts, movePayout, type PayoutRow, listPayouts as rowsOf } from "./payouts.store.ts";
import { wake } from "./send/worker.ts";

/** Returns the payouts that match the query, newest first. */
export async function listPayouts(ctx: AppContext, query: PayoutsQuery): Promise<Omit<PayoutsResponse, "success">> {
  const { shown, ...rest } = await pageBefore(query.limit, (limit) => rowsOf(ctx.db, query, limit));
  return { payouts: shown.map(payoutRecord), halted: await payoutsHalt(ctx), ...rest };
}

/**
 * Begins a failed payout again: nothing signed for it can reach the chain any more. Writes to the audit log.
 * Errors: `payout_not_found`, `payout_not_failed`.
 */
export function retryPayout(ctx: AppContext, caller: AuditActor, id: number): Promise<PayoutRecord> {
  return transact(ctx, async (ctx) => {
    const row = await findPayout(ctx.db, id);
    if (row === undefined) throw fail("payout_not_found");
    if (row.state !== "failed" || row.purpose === "gap") throw fail("payout_not_failed");
    if ((await liveAttempts(ctx.db, id)).length > 0) throw new Error(`Payout ${id} failed but can still be paid.`);
    const now = ctx.clock.now();
    const fresh = { state: "queued", hold: null, payer: null, nonce: null, hash: null, ended_at: null } as const;
    // A new day: it counts against the daily cap again, in case the servers lied about the failure.
    const change = {
      ...fresh,
      day: null,
      round: row.round + 1,
      refusals: 0,
      fee_paid: null,
      due_at: now,
      updated_at: now,
    };
    if (!(await movePayout(ctx.db, row, change))) throw fail("payout_not_failed");
    await notifyPayoutListeners(ctx, row, { status: "pending", hash: null });
    await audit(ctx, caller, "payout_retry", `payout:${id}`, { amount: row.amount, currency: row.currency });
    ctx.afterCommit(() => wake(ctx.root));
    return payoutRecord({ ...row, ...change });
  });
}

function payoutRecord(row: PayoutRow): PayoutRecord {
  return {
    payout_id: row.id,
    key: row.key,
    purpose: row.purpose,
    state: row.state,
    hold: row.hold,
    chain: row.chain,
    chain_id: row.chain_id,
    currency: row.currency,
    token_address: row.token_address,
    recipient: row.recipient,
    amount: row.amount,
    payer: row.payer,
    nonce: row.nonce,
    tx_hash: row.hash,
    fee_paid: row.fee_paid,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    ended_at: isoTimeOrNull(row.ended_at),
  };
}
