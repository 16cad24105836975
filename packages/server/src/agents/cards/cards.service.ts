import type { Receipt } from "@parley/protocol/card-calls";
import type { Interaction } from "@parley/protocol/cards";
import type { AppContext } from "../../context.ts";
import type { Identity } from "../../http/identity.ts";
import { cardState } from "../../messages/cards/card-state.ts";
import { readableInteraction } from "../../messages/cards/press.service.ts";
import { readableMenu } from "../../messages/menus/press.service.ts";
import { agentTopic } from "../../realtime/topics.ts";
import { poll } from "../events/long-poll.ts";

/** An interaction, and the receipt once it has ended. */
export interface Answered {
  interaction: Interaction;
  receipt: Receipt | null;
}

/**
 * Returns an interaction. The agent that asked can wait while it is open; nobody waits for the end of a menu. Errors: those of `readableInteraction`, and of
 * `poll`.
 */
export async function readInteraction(
  ctx: AppContext,
  caller: Identity,
  id: number,
  { wait = 0, signal }: { wait?: number | undefined; signal: AbortSignal },
): Promise<Answered> {
  const menu = await readableMenu(ctx, caller, id);
  if (menu !== null) return { interaction: menu.record, receipt: null };
  const read = async (): Promise<Answered> => {
    const { row } = await readableInteraction(ctx, caller, id);
    return cardState(ctx, row);
  };
  const found = await read();
  const isOwn = caller.kind === "agent" && (await readableInteraction(ctx, caller, id)).channel === null;
  if (found.interaction.status !== "open" || wait === 0 || !isOwn) return found;
  const topic = agentTopic(caller.agentId);
  const ended = await poll(ctx, { caller, topic, seconds: wait, signal }, async () => {
    const now = await read();
    return now.interaction.status === "open" ? null : now;
  });
  return ended ?? read();
}
