import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import type { AppError } from "../errors.ts";
import { parseMemberKey } from "../http/identity.ts";
import { assetLimit, effective, isSameAsset } from "./budget-rules.ts";
import { forgetLapsed, lockBudget, release, reserve, settle, writeBudget } from "./budgets.store.ts";
import { exhausted, hasBudget, inPeriod, paidIn, tellOf } from "./budgets.ts";

/** A challenge to pay, as `payments` stores it. */
export interface Challenge {
  payment_id: string;
  /** The caller; only agents have budgets. */
  principal: string;
  chain_id: number;
  currency: string;
  /**
   * Decimal digits, in the smallest unit: the price without the tail that tells payers apart (protocol §7). Otherwise a
   * budget of exactly a price would have no room for it.
   */
  price: string;
  expires_at: number;
}

/**
 * Reserves what an agent is asked to pay until the challenge lapses. Returns the refusal if a budget has no room for it,
 * so that the agent is not asked. A payment that is reserved already is only extended. Challenges of one agent are
 * counted in turn.
 */
export async function reservePayment(ctx: AppContext, challenge: Challenge): Promise<AppError | null> {
  const payer = parseMemberKey(challenge.principal);
  if (payer?.kind !== "agent" || !(await hasBudget(ctx, payer.id))) return null;
  return transact(ctx, async (ctx) => {
    const row = await lockBudget(ctx.db, payer.id);
    if (row === null) return null;
    const account = inPeriod(row, ctx.clock.now());
    const limits = effective(account.limits, account.ceilings);
    const { payment_id, chain_id, currency, price: amount, expires_at: lapses_at } = challenge;
    const most = assetLimit(limits.payment_max, challenge);
    const asset = { chain_id, currency };
    if (most !== null && BigInt(amount) > most)
      return exhausted({ budget: "payment_max", ...asset, limit: String(most), used: amount, remaining: "0" }, account);
    const daily = assetLimit(limits.payments_per_day, challenge);
    const others = await paidIn(ctx, account, payment_id);
    const used = BigInt(others.find((one) => isSameAsset(one, challenge))?.amount ?? 0);
    // A challenge that was made before stays reserved: its holder can still pay it.
    if (daily !== null && used + BigInt(amount) > daily)
      return exhausted(
        { budget: "payments_per_day", ...asset, limit: String(daily), used: String(used), remaining: "0" },
        account,
      );
    await reserve(ctx.db, { payment_id, agent_id: payer.id, chain_id, currency, amount, lapses_at });
    await tellOf(ctx, account, await paidIn(ctx, account));
    await writeBudget(ctx.db, account);
    return null;
  });
}

/** A payment that was granted. `id` names one that answered no challenge. */
export interface Settled extends Pick<Challenge, "principal" | "chain_id" | "currency"> {
  id: number;
  /** What was paid, without the tail of its challenge. */
  amount: string;
  payment_id: string | null;
}

const idOf = ({ id, payment_id }: Pick<Settled, "id" | "payment_id">): string => payment_id ?? `payment ${id}`;

/** Counts a payment of an agent, in the transaction that grants it. What was paid is counted also beyond a budget. */
export async function settlePayment(ctx: AppContext, payment: Settled): Promise<void> {
  const payer = parseMemberKey(payment.principal);
  if (payer?.kind !== "agent") return;
  const { chain_id, currency, amount } = payment;
  const now = ctx.clock.now();
  const row = { payment_id: idOf(payment), agent_id: payer.id, chain_id, currency, amount };
  await settle(ctx.db, { ...row, lapses_at: now, settled_at: now });
}

/** Takes a payment back that is no longer on its chain, in the transaction that revokes it. */
export const releasePayment = (ctx: AppContext, payment: Pick<Settled, "id" | "payment_id">): Promise<void> =>
  release(ctx.db, idOf(payment));

/** Deletes reservations that lapsed without a payment before this time. */
export const forgetLapsedPayments = (ctx: AppContext, before: number): Promise<void> => forgetLapsed(ctx.db, before);
