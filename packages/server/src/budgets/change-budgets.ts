import type { BudgetLimits } from "@parley/protocol/budgets";
import type { AppContext } from "../context.ts";
import { effective } from "./budget-rules.ts";
import { type BudgetRow, findBudget, lockBudget, writeBudget } from "./budgets.store.ts";
import { type Account, inPeriod } from "./budgets.ts";

const none = (agentId: number): BudgetRow => ({
  agentId,
  limits: {},
  ceilings: {},
  zone: "UTC",
  periodAt: null,
  used: {},
});

/** Returns an agent's budgets as they are now. */
export async function accountOf(ctx: AppContext, agentId: number): Promise<Account> {
  return inPeriod((await findBudget(ctx.db, agentId)) ?? none(agentId), ctx.clock.now());
}

/** Changes what is given of an agent's budgets, in the caller's transaction. What was used in the period stays used. */
export async function changeAccount(
  ctx: AppContext,
  agentId: number,
  { limits, ceilings, zone }: { limits: BudgetLimits; ceilings: BudgetLimits; zone: string | undefined },
): Promise<Account> {
  const account = inPeriod((await lockBudget(ctx.db, agentId)) ?? none(agentId), ctx.clock.now());
  const { told: _, ...used } = account.used;
  const changed = {
    ...account,
    limits: { ...account.limits, ...limits },
    ceilings: { ...account.ceilings, ...ceilings },
    zone: zone ?? account.zone,
  };
  // Costs in another currency cannot be compared. A notice for the old limits is sent again for the new ones.
  changed.used = currencyOf(changed) === currencyOf(account) ? used : { ...used, cost: 0 };
  await writeBudget(ctx.db, changed);
  return changed;
}

const currencyOf = ({ limits, ceilings }: BudgetRow): string | undefined =>
  effective(limits, ceilings).cost_per_day?.currency;
