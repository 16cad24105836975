import type { BudgetLimits, BudgetsResponse, PutBudgetsBody } from "@parley/protocol/budgets";
import { audit } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import { type Account, inPeriod, paidIn, statesIn } from "../../budgets/budgets.ts";
import { accountOf, changeAccount } from "../../budgets/change-budgets.ts";
import { isZone } from "../../budgets/period.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { hasLevel, MODERATOR } from "../../http/site-levels.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { findAgent, lockAgent } from "../agent-control.ts";

type BudgetsRecord = Omit<BudgetsResponse, "success">;

/** How a user may deal with an agent's budgets. */
interface Standing {
  isOwner: boolean;
  isStaff: boolean;
}

/** Errors: `agent_not_found`, `forbidden` for those who are neither its verified owner nor staff. */
export async function standingOf(ctx: AppContext, caller: UserIdentity, agentId: number): Promise<Standing> {
  const agent = await findAgent(ctx, agentId);
  if (agent === null) throw fail("agent_not_found");
  const isOwner = agent.owner_user_id === caller.userId && agent.owner_verified === 1;
  const isStaff = hasLevel(caller, MODERATOR);
  if (!isOwner && !isStaff) throw fail("forbidden");
  return { isOwner, isStaff };
}

/** Returns an agent's budgets for its owner or staff (protocol §12.8). Errors: those of `standingOf`. */
export async function readBudgets(ctx: AppContext, caller: UserIdentity, agentId: number): Promise<BudgetsRecord> {
  await standingOf(ctx, caller, agentId);
  return { agent_id: agentId, ...(await budgetsRecord(ctx, await accountOf(ctx, agentId))) };
}

/** Returns an agent's own budgets; null if it has none. */
export async function ownBudgets(ctx: AppContext, agentId: number): Promise<Omit<BudgetsRecord, "agent_id"> | null> {
  const account = await accountOf(ctx, agentId);
  const record = await budgetsRecord(ctx, account);
  return record.budgets.length === 0 ? null : record;
}

async function budgetsRecord(ctx: AppContext, account: Account): Promise<Omit<BudgetsRecord, "agent_id">> {
  return {
    limits: whole(account.limits),
    ceilings: whole(account.ceilings),
    period_zone: account.zone,
    resets_at: isoTime(account.period.resetsAt),
    budgets: statesIn(account, await paidIn(ctx, account)),
  };
}

const NONE = {
  messages_per_day: null,
  characters_per_day: null,
  cards_per_day: null,
  cost_per_day: null,
  payments_per_day: null,
  payment_max: null,
};

const whole = (limits: BudgetLimits): BudgetLimits => ({ ...NONE, ...limits });

/**
 * Changes an agent's budgets: its verified owner the limits, staff the ceilings (protocol §12.8). Every change is
 * audited, because it decides over money. A new time zone counts from the next period on.
 * Errors: those of `standingOf`, `no_fields`, `invalid_request` (the zone).
 */
export async function writeBudgets(
  ctx: AppContext,
  caller: UserIdentity,
  agentId: number,
  { ceilings, period_zone: zone, ...limits }: PutBudgetsBody,
): Promise<BudgetsRecord> {
  const isOfOwner = zone !== undefined || Object.keys(limits).length > 0;
  if (!isOfOwner && ceilings === undefined) throw fail("no_fields");
  if (zone !== undefined && !isZone(zone))
    throw fail("invalid_request", { details: [{ path: "period_zone", message: "is no time zone" }] });
  return transact(ctx, async (ctx) => {
    await lockAgent(ctx, agentId);
    const { isOwner, isStaff } = await standingOf(ctx, caller, agentId);
    if (isOfOwner && !isOwner) throw fail("forbidden", { message: "Only the agent's owner sets its limits." });
    if (ceilings !== undefined && !isStaff)
      throw fail("forbidden", { message: "Only the server's staff sets ceilings." });
    const account = await changeAccount(ctx, agentId, { limits, ceilings: ceilings ?? {}, zone });
    await audit(ctx, caller, "agent_budgets", `agent:${agentId}`, { ...limits, ...(zone && { zone }), ceilings });
    publishControl(ctx, "agent_changed", agentId);
    const now = inPeriod(account, ctx.clock.now());
    return { agent_id: agentId, ...(await budgetsRecord(ctx, now)) };
  });
}
