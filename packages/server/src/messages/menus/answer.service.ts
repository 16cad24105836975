import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { isInScope } from "../../http/key-scopes.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { findAnswerable, takeAnswer } from "./menus.store.ts";

/** How long a bot may answer a press. */
export const ANSWERED_WITHIN_MS = 10 * 60 * 1_000;

/** The words of a bot for the person who pressed. */
export interface Answer {
  itemId: number;
  agentName: string;
  /** null: only the button stops waiting. */
  text: string | null;
  alert: boolean;
}

/**
 * Answers a press of one of the agent's menus, once. Only who pressed sees the answer, on all their sockets and every
 * node. Returns false if there is no such press, it is too old, or it was answered.
 */
export function answerPress(
  ctx: AppContext,
  caller: AgentIdentity,
  { itemId, agentName, text, alert }: Answer,
): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const which = { itemId, agentId: caller.agentId, agentName };
    const press = await findAnswerable(ctx.db, which, now - ANSWERED_WITHIN_MS);
    if (press === undefined || !isInScope(caller, press.channel_id)) return false;
    if (!(await takeAnswer(ctx.db, itemId, now))) return false;
    const { channel_id, message_id } = press;
    const data = { channel_id, interaction_id: message_id, text, alert };
    if (press.user_id !== null) publishEvent(ctx, userTopic(press.user_id), "interaction:answer", data);
    return true;
  });
}
