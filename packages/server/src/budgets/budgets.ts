import type { BudgetState } from "@parley/protocol/budgets";
import { notify } from "../accounts/notices.ts";
import { isoTime } from "../base/iso-time.ts";
import { type AppContext, perServer } from "../context.ts";
import { type AppError, fail } from "../errors.ts";
import { hook } from "../hook.ts";
import { rowCache } from "../realtime/control/row-cache.ts";
import { effective, exceeded, keyOf, type Paid, shareOf, statesOf } from "./budget-rules.ts";
import { type BudgetRow, findBudget, ownerOf, paymentsOf } from "./budgets.store.ts";
import { type Period, periodAt } from "./period.ts";

const CACHED_AGENTS = 50_000;

/** Which agents have budgets. Nearly none has, and a send by such an agent must cost nothing more. */
const budgeted = perServer((ctx) =>
  rowCache<number, boolean>(ctx, CACHED_AGENTS, { agent_changed: (cache, agentId) => cache.forget(agentId) }),
);

/** Returns whether an agent has budgets. Synchronous when that is known. */
export function hasBudget(ctx: AppContext, agentId: number): boolean | Promise<boolean> {
  const cache = budgeted(ctx);
  return cache.get(agentId) ?? cache.load(agentId, async () => (await findBudget(ctx.db, agentId)) !== null);
}

/** An agent's budgets in the current period. */
export interface Account extends BudgetRow {
  period: Period;
}

/** Begins a new period if the last one is over. */
export function inPeriod(row: BudgetRow, now: number): Account {
  const period = periodAt(row.zone, now, row.periodAt);
  const isNew = row.periodAt !== period.from;
  return { ...row, period, periodAt: period.from, used: isNew ? {} : row.used };
}

/** Returns what an agent has been asked to pay or has paid in its period, by asset, without one challenge. */
export async function paidIn(ctx: AppContext, { agentId, period }: Account, without?: string): Promise<Paid> {
  const sums = new Map<string, { chain_id: number; currency: string; sum: bigint }>();
  for (const row of await paymentsOf(ctx.db, agentId, { now: ctx.clock.now(), since: period.from })) {
    if (row.payment_id === without) continue;
    const key = `${row.chain_id} ${row.currency}`;
    const { chain_id, currency } = row;
    sums.set(key, { chain_id, currency, sum: (sums.get(key)?.sum ?? 0n) + BigInt(row.amount) });
  }
  return [...sums.values()].map(({ sum, ...asset }) => ({ ...asset, amount: String(sum) }));
}

/** Returns what is left of each budget. */
export const statesIn = (account: Account, paid: Paid): BudgetState[] =>
  statesOf(effective(account.limits, account.ceilings), account.used, paid);

/** Returns the refusal of an act for which a budget has no room. */
export function exhausted(state: BudgetState, { period }: Pick<Account, "period">): AppError {
  const { remaining: _, ...details } = state;
  return fail("budget_exhausted", { details: { ...details, resets_at: isoTime(period.resetsAt) } });
}

/**
 * Refuses to begin a message that an agent's budgets would not let end after those it has begun already. Errors:
 * `budget_exhausted`.
 */
export async function assertRoom(ctx: AppContext, agentId: number, begun: number): Promise<void> {
  const full = await fullBudget(ctx, agentId, begun);
  if (full !== null) throw exhausted(full.state, full.account);
}

/** Returns the budget that has no room for one more short message after those that are begun; null: all have. */
export async function fullBudget(
  ctx: AppContext,
  agentId: number,
  begun = 0,
): Promise<{ state: BudgetState; account: Account } | null> {
  const row = (await hasBudget(ctx, agentId)) ? await findBudget(ctx.db, agentId) : null;
  if (row === null) return null;
  const account = inPeriod(row, ctx.clock.now());
  const limits = effective(account.limits, account.ceilings);
  const name = exceeded(limits, account.used, { messages: begun + 1, characters: 1, cards: 0 });
  const state = statesIn(account, []).find(({ budget }) => budget === name);
  return state === undefined ? null : { state, account };
}

/** Receives a budget that is used by 80 or 100 percent. */
export type BudgetListener = (
  ctx: AppContext,
  agentId: number,
  state: BudgetState,
  share: 80 | 100,
  resetsAt: number,
) => void;

/** Tells the agent itself of a budget that is nearly or wholly used. Slices above this one listen. */
export const onBudget = hook<BudgetListener>();

/**
 * Tells owner and agent, once in a period, of each budget that has reached 80 or 100 percent. Changes `account.used`,
 * which the caller stores, in its transaction.
 */
export async function tellOf(ctx: AppContext, account: Account, paid: Paid): Promise<void> {
  const told = { ...account.used.told };
  for (const state of statesIn(account, paid)) {
    const share = shareOf(state);
    if (share === 0 || share <= (told[keyOf(state)] ?? 0)) continue;
    told[keyOf(state)] = share;
    for (const act of onBudget.of(ctx)) act(ctx, account.agentId, state, share, account.period.resetsAt);
    const owner = await ownerOf(ctx.db, account.agentId);
    if (owner?.owner_user_id == null || owner.owner_verified !== 1) continue;
    const code = share === 100 ? "agent_budget_exhausted" : "agent_budget_low";
    await notify(ctx, owner.owner_user_id, { code, subject: owner.name, detail: state.budget });
  }
  account.used = Object.keys(told).length === 0 ? account.used : { ...account.used, told };
}
