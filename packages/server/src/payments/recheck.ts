import { startBackgroundJob } from "../base/background-job.ts";
import { KeyedMutex } from "../base/concurrency-limiter.ts";
import { forgetLapsedPayments, releasePayment } from "../budgets/payments.ts";
import type { Observed } from "../chains/chain.ts";
import { chainsOf } from "../chains/chains.ts";
import { duty } from "../cluster/duties.ts";
import { type AppContext, perServer } from "../context.ts";
import { transact } from "../db/transact.ts";
import { AppError } from "../errors.ts";
import { hook } from "../hook.ts";
import { forgetChallenges } from "./offers/challenges.store.ts";
import { forgetRemoved } from "./offers/paid.store.ts";
import { dueGrants, forgetRefused, isPaidAnew, move, type PaymentRow } from "./payments.store.ts";
import { learnDomains } from "./settle/exact.ts";
import { conclude, DUE_MS, type Held, step, withAuthorization } from "./settle/settle.ts";
import {
  dueSettlements,
  forgetSettlements,
  moveSettlement,
  releaseSettlement,
  type SettlementRow,
} from "./settle/settlements.store.ts";

const PASS_MS = 5_000;

const passes = perServer(() => new KeyedMutex());

/** Payments, and settlements, in one pass: each asks its chain. */
const PASS_MAX = 20;
const AGAIN_MS = 30_000;
/**
 * A node that does not know a once-final transaction is more likely lagging than right, so the transaction counts as
 * gone only after this many misses in a row.
 */
const MISSED_LOOKS = 3;
/** How long a transaction may wait to return to the chain after a reorganisation. */
const RETURN_MS = 10 * 60_000;
const CHALLENGES_KEPT_MS = 24 * 3_600_000;
const SETTLEMENTS_KEPT_MS = 2 * CHALLENGES_KEPT_MS;
/** A challenge is good for a day and its purchase for another, so ids and delisted content are kept this long. */
const BOUGHT_KEPT_MS = 2 * CHALLENGES_KEPT_MS;
const REFUSED_KEPT_MS = 30 * 24 * 3_600_000;
const FORGOTTEN_AT_ONCE = 500;
const FORGET_EVERY_MS = 10 * 60_000;

/** Periodically rechecks granted payments and deletes old records, until the server stops. */
export function startRecheck(ctx: AppContext): void {
  let forgottenAt = Number.NEGATIVE_INFINITY;
  const isOwn = duty(ctx, "recheck payments");
  startBackgroundJob(ctx, PASS_MS, "checking granted payments again failed", async () => {
    if (isOwn()) {
      await recheckPayments(ctx);
      await recheckSettlements(ctx);
    }
    // Each node keeps the domains in its memory.
    await learnDomains(ctx);
    if (!isOwn()) return;
    if (ctx.clock.monotonic() - forgottenAt < FORGET_EVERY_MS) return;
    await forgetOld(ctx);
    forgottenAt = ctx.clock.monotonic();
  });
}

/** Runs one pass over at most 20 due payments. Passes are serialized: two at once would count one miss as two. */
export function recheckPayments(ctx: AppContext): Promise<void> {
  return passes(ctx).run("recheck", () => recheckDue(ctx));
}

/** Rechecks the due payments; undecided ones are checked again later. */
async function recheckDue(ctx: AppContext): Promise<void> {
  for (const row of await dueGrants(ctx.db, ctx.clock.now(), PASS_MAX)) {
    try {
      await recheck(ctx, row);
    } catch (error) {
      const isSilent = error instanceof AppError && error.code === "chain_unavailable";
      if (!isSilent) ctx.log.error({ err: error, paymentId: row.id }, "checking a granted payment again failed");
      await later(ctx, row);
    }
  }
}

async function recheck(ctx: AppContext, row: PaymentRow): Promise<void> {
  const chain = chainsOf(ctx).find(row.chain, row.chain_id);
  if (chain === null) return later(ctx, row);
  const observed = await chain.observe(row.tx_hash);
  const { state, block } = observed;
  if (isMissed(ctx, row, state)) await later(ctx, row);
  else if (state === "final") await move(ctx.db, row, { due_at: null, block_hash: block?.hash ?? null });
  else if (mayComeBack(ctx, row, observed)) await later(ctx, row);
  else await revoke(ctx, row, state === "failed" ? "tx_failed" : "block_gone");
}

/** Consecutive misses per payment. A restart resets them, which only adds looks. */
const missed = perServer(() => new Map<number, number>());

/** Returns true if the chain does not know the transaction but has not been asked often enough to be believed. */
function isMissed(ctx: AppContext, { id }: PaymentRow, state: Observed["state"]): boolean {
  const times = (missed(ctx).get(id) ?? 0) + 1;
  if (state === "unknown" && times < MISSED_LOOKS) {
    missed(ctx).set(id, times);
    return true;
  }
  missed(ctx).delete(id);
  return false;
}

/**
 * Returns whether the transaction waits again or is in a new block that is not deep enough. An unknown transaction is
 * gone.
 */
function mayComeBack(ctx: AppContext, { granted_at }: PaymentRow, { state, isFinal }: Observed): boolean {
  if (state === "unknown" || (state === "failed" && isFinal)) return false;
  return state === "confirming" || ctx.clock.now() < (granted_at ?? 0) + RETURN_MS;
}

const later = async (ctx: AppContext, row: PaymentRow): Promise<void> => {
  await move(ctx.db, row, { due_at: ctx.clock.now() + AGAIN_MS });
};

/**
 * Revokes a grant and what it bought, in one transaction, unless it was paid for again since. The row keeps the
 * transaction: if it returns, it pays for the same thing.
 */
async function revoke(ctx: AppContext, row: PaymentRow, reason: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    if (!(await move(ctx.db, row, { state: "revoked", reason, due_at: null }))) return;
    await releasePayment(ctx, row);
    if (!(await isPaidAnew(ctx.db, row))) await notifyRevoked(ctx, row);
    ctx.afterCommit(() => {
      ctx.metrics.paymentPresented("revoked");
      ctx.log.error({ paymentId: row.id, txHash: row.tx_hash, reason }, "a granted payment is no longer on its chain");
    });
  });
}

/**
 * Rechecks up to 20 due settlements, after a crash or when their payer does not return. Only queries the chain; sends
 * nothing.
 */
export async function recheckSettlements(ctx: AppContext): Promise<void> {
  for (const row of await dueSettlements(ctx.db, ctx.clock.now(), PASS_MAX)) {
    await withAuthorization(ctx, row, () => recheckSettlement(ctx, row));
  }
}

async function recheckSettlement(ctx: AppContext, row: SettlementRow): Promise<void> {
  if (row.state === "reserved") return void (await releaseSettlement(ctx.db, row));
  const held: Held = { row };
  try {
    await step(ctx, held, { due_at: ctx.clock.now() + DUE_MS });
    await conclude(ctx, held, { waitMs: 0 });
    ctx.metrics.paymentPresented("granted");
  } catch (error) {
    if (!(error instanceof AppError)) {
      ctx.log.error({ err: error, settlementId: row.id }, "checking the outcome of a signed payment failed");
    }
    if (error instanceof AppError && held.row.state === "refused") ctx.metrics.paymentPresented(error.code);
    else await moveSettlement(ctx.db, held.row, { lease_until: ctx.clock.now() });
  }
}

/** Deletes challenges, settlements and delisted content that nobody can ask for any more, in batches. */
export async function forgetOld(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now();
  const challenges = { madeBefore: now - CHALLENGES_KEPT_MS, usedBefore: now - BOUGHT_KEPT_MS };
  // Challenges are deleted to the last: each frees its unique amount, for which others may be waiting.
  while ((await forgetChallenges(ctx.db, challenges, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
  await forgetSettlements(ctx.db, now - SETTLEMENTS_KEPT_MS, FORGOTTEN_AT_ONCE);
  await forgetRemoved(ctx.db, now - BOUGHT_KEPT_MS);
  await forgetLapsedPayments(ctx, now - CHALLENGES_KEPT_MS);
  await forgetRefused(ctx.db, now - REFUSED_KEPT_MS, FORGOTTEN_AT_ONCE);
}

/**
 * Takes back what a payment bought, in the transaction that revokes it. Called for every payment; a listener handles
 * only its own resources.
 */
export type OnRevoked = (ctx: AppContext, payment: Pick<PaymentRow, "resource" | "principal">) => Promise<void>;

export const onRevoked = hook<OnRevoked>();

/** Runs the listeners inside the transaction that revokes the payment. */
export async function notifyRevoked(
  ctx: AppContext,
  payment: Pick<PaymentRow, "resource" | "principal">,
): Promise<void> {
  for (const act of onRevoked.of(ctx)) await act(ctx, payment);
}
