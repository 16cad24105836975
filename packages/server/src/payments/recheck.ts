import type { Observed } from "../chains/chain.ts";
import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError } from "../errors.ts";
import { repeat } from "../repeat.ts";
import { forgetChallenges } from "./challenges.store.ts";
import { learnDomains } from "./exact-entry.ts";
import { dueGrants, forgetRefused, move, type PaymentRow } from "./payments.store.ts";
import { recheckSettlements } from "./recheck-settlements.ts";
import { tellRevoked } from "./revocation.ts";
import { forgetSettlements } from "./settlements.store.ts";

const PASS_MS = 5_000;
/** Payments in one pass: each asks its chain. */
const PASS_MAX = 20;
const AGAIN_MS = 30_000;
/** A transaction that waits anew after a reorganisation is given so long to come back. */
const RETURN_MS = 10 * 60_000;
const CHALLENGES_KEPT_MS = 24 * 3_600_000;
const SETTLEMENTS_KEPT_MS = 2 * CHALLENGES_KEPT_MS;
const REFUSED_KEPT_MS = 30 * 24 * 3_600_000;
const FORGOTTEN_AT_ONCE = 500;
const FORGET_EVERY_MS = 10 * 60_000;

/** Looks at granted payments once more when some minutes have passed, and forgets what is old, for as long as the server runs. */
export function startRecheck(ctx: AppContext): void {
  let forgottenAt = Number.NEGATIVE_INFINITY;
  repeat(ctx, PASS_MS, "the look back at payments failed", async () => {
    await recheckPayments(ctx);
    await recheckSettlements(ctx);
    await learnDomains(ctx);
    if (ctx.clock.monotonic() - forgottenAt < FORGET_EVERY_MS) return;
    await forgetOld(ctx);
    forgottenAt = ctx.clock.monotonic();
  });
}

/** One pass over the payments that are due, at most 20. What cannot be decided is looked at again later. */
export async function recheckPayments(ctx: AppContext): Promise<void> {
  for (const row of await dueGrants(ctx.db, ctx.clock.now(), PASS_MAX)) {
    try {
      await recheck(ctx, row);
    } catch (error) {
      const isSilent = error instanceof AppError && error.code === "chain_unavailable";
      if (!isSilent) ctx.log.error({ err: error, paymentId: row.id }, "a payment could not be looked at again");
      await later(ctx, row);
    }
  }
}

async function recheck(ctx: AppContext, row: PaymentRow): Promise<void> {
  const chain = chainsOf(ctx).find(row.chain, row.chain_id);
  if (chain === null) return later(ctx, row);
  const observed = await chain.observe(row.tx_hash);
  const { state, block } = observed;
  if (state === "final") await move(ctx.db, row, { due_at: null, block_hash: block?.hash ?? null });
  else if (mayComeBack(ctx, row, observed)) await later(ctx, row);
  else await revoke(ctx, row, state === "failed" ? "tx_failed" : "block_gone");
}

/** It waits again, or stands in another block that is not deep enough yet. What nobody knows any more is gone. */
function mayComeBack(ctx: AppContext, { granted_at }: PaymentRow, { state, isFinal }: Observed): boolean {
  if (state === "unknown" || (state === "failed" && isFinal)) return false;
  return state === "confirming" || ctx.clock.now() < (granted_at ?? 0) + RETURN_MS;
}

const later = async (ctx: AppContext, row: PaymentRow): Promise<void> => {
  await move(ctx.db, row, { due_at: ctx.clock.now() + AGAIN_MS });
};

/** What was granted ends, in one transaction. The row keeps the transaction: if it comes back it pays for the same thing. */
async function revoke(ctx: AppContext, row: PaymentRow, reason: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    if (!(await move(ctx.db, row, { state: "revoked", reason, due_at: null }))) return;
    await tellRevoked(ctx, row);
    ctx.afterCommit(() => {
      ctx.metrics.paymentPresented("revoked");
      ctx.log.error(
        { paymentId: row.id, txHash: row.tx_hash, reason },
        "a payment that was granted is gone from its chain",
      );
    });
  });
}

async function forgetOld(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  await forgetChallenges(ctx.db, now - CHALLENGES_KEPT_MS, FORGOTTEN_AT_ONCE);
  await forgetSettlements(ctx.db, now - SETTLEMENTS_KEPT_MS, FORGOTTEN_AT_ONCE);
  await forgetRefused(ctx.db, now - REFUSED_KEPT_MS, FORGOTTEN_AT_ONCE);
}
