import type { AppContext } from "../../context.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { hook } from "../../hook.ts";

/** The agent that asks in a thread, or in a reply to its root. */
export interface QuestionPlace {
  agentId: number;
  rootId: number;
}

/** Called in the transaction in which an agent asks in a thread, and in the one in which that question ends. */
export const onQuestion = hook<(ctx: AppContext, place: QuestionPlace) => Promise<void>>();

/** Runs what follows a question. One that answers no message has no place. */
export async function questionChanged(
  ctx: AppContext,
  message: Pick<MessageRow, "agent_id" | "thread_root_id" | "reply_to_id">,
): Promise<void> {
  const rootId = message.thread_root_id ?? message.reply_to_id;
  if (rootId === null || message.agent_id === null) return;
  for (const act of onQuestion.of(ctx)) await act(ctx, { agentId: message.agent_id, rootId });
}
