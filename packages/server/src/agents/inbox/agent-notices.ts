import type { Notice } from "@parley/protocol/inbox";
import { PENDING_MENTIONS_MAX } from "@parley/protocol/limits";
import { isoTime } from "../../base/iso-time.ts";
import type { BudgetListener } from "../../budgets/budgets.ts";
import type { RemovedAgent } from "../../channels/members/removal.ts";
import type { AppContext } from "../../context.ts";
import { addNotice, type NewNotice } from "../../messages/inbox/notices.ts";

/** Tells an agent that it was paused or resumed. It can read that once it is resumed. */
export function notePause(ctx: AppContext, agentId: number, paused: boolean, by: "owner" | "staff"): void {
  const who = by === "owner" ? "its owner" : "the server's staff";
  const text = `The agent was ${paused ? "paused" : "resumed"} by ${who}.`;
  addNotice(ctx, { agentId, notice: { type: paused ? "paused" : "resumed", text, details: { by } } });
}

const COUNTER = new Intl.NumberFormat("en");

/**
 * Tells an agent that items were dropped from its full inbox. The notice counts all that were dropped since the agent
 * last acknowledged such a notice. It belongs to no name, so it does not crowd out what it reports.
 */
export function noteDropped(ctx: AppContext, agentId: number, dropped: number): void {
  addNotice(ctx, { agentId, notice: droppedNotice(dropped) }, (newer, older) => {
    return droppedNotice(droppedOf(newer) + droppedOf(older));
  });
}

const droppedOf = ({ details }: Notice): number => Number(details?.dropped ?? 0);

function droppedNotice(dropped: number): Notice {
  const count = `${COUNTER.format(dropped)} ${dropped === 1 ? "item was" : "items were"}`;
  const text = `${count} dropped, because the inbox holds ${COUNTER.format(PENDING_MENTIONS_MAX)} of each kind and name.`;
  return { type: "items_dropped", text, details: { dropped } };
}

/** Tells an agent that somebody removed it from a channel. */
export function noteRemoval(ctx: AppContext, { agentId, channel, reason }: RemovedAgent): void {
  const text = `The agent was ${reason === "banned" ? "banned" : "removed"} from the channel "${channel.slug}".`;
  addNotice(ctx, { agentId, channel, notice: { type: reason, text } });
}

/** Tells an agent that somebody who may do so has stopped its work in a thread; null: outside of threads. */
export function noteStop(
  ctx: AppContext,
  { agentId, channel, rootId }: { agentId: number; channel: NewNotice["channel"]; rootId: number | null },
): void {
  const text = "Somebody stopped the agent's work here. It must not go on with it.";
  addNotice(ctx, { agentId, channel, notice: { type: "stopped", text, details: { thread_root_id: rootId } } });
}

/** Tells an agent of a budget that is nearly or wholly used. */
export const noteBudget: BudgetListener = (ctx, agentId, state, share, resetsAt) => {
  const { budget, limit, used } = state;
  const resets_at = isoTime(resetsAt);
  const [type, gone] = share === 100 ? ["budget_exhausted", "used up"] : ["budget_low", "used by 80 percent"];
  const text = `The budget ${budget} is ${gone}: ${used} of ${limit}. It resets at ${resets_at}.`;
  addNotice(ctx, { agentId, notice: { type, text, details: { ...state, resets_at } } });
};
