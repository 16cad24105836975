import { hasBudget } from "../budgets/budgets.ts";
import { Purses } from "../budgets/purses.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";

/** Opens the budgets of an agent whose spending is counted; null for everybody else. Call it before you lock a channel. */
export async function pursesOf(ctx: AppContext, caller: UserIdentity | AgentIdentity): Promise<Purses | null> {
  if (caller.kind !== "agent" || !(await hasBudget(ctx, caller.agentId))) return null;
  return Purses.open(ctx, [caller.agentId]);
}

/** Charges an agent for words that it changes, in the transaction that stores them. Errors: `budget_exhausted`. */
export async function chargeEdit(
  ctx: AppContext,
  purses: Purses | null,
  words: { agentId: number; channelId: number; content: string },
): Promise<void> {
  if (purses === null) return;
  const edit = { ...words, cards: 0, usage: null, isEdit: true };
  const refusal = purses.refusal(edit);
  if (refusal !== null) throw refusal;
  purses.charge(edit);
  await purses.close(ctx);
}
