import { channelsOfAgent } from "../../channels/members/agents-online.ts";
import type { AppContext } from "../../context.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { channelsInScope, hasScope, isInScope } from "../../http/key-scopes.ts";
import { ITEM_EVENT, MENTION_EVENT } from "../../messages/inbox/item-frames.ts";
import { frameParts } from "../../realtime/frame-text.ts";

interface Placed {
  channel_id?: number | null;
  item?: { channel_id: number | null; kind: string };
}

/**
 * Returns the messages of an agent's topic that a key may hear: items need `inbox`, and a channel that exists for it.
 */
export function heard<M extends { event: string; frame: string }>(
  caller: AgentIdentity,
  messages: readonly M[],
): readonly M[] {
  if (caller.limits === undefined) return messages;
  return messages.filter(({ event, frame }) => mayHear(caller, event, frame));
}

function mayHear(caller: AgentIdentity, event: string, frame: string): boolean {
  if ((event === MENTION_EVENT || event === ITEM_EVENT) && !hasScope(caller, "inbox")) return false;
  if (channelsInScope(caller) === null && hasScope(caller, "read")) return true;
  const { channel_id, item } = JSON.parse(frameParts(frame).dataJson) as Placed;
  if (item?.kind === "message" && !hasScope(caller, "read")) return false;
  return isInScope(caller, (item === undefined ? channel_id : item.channel_id) ?? null);
}

/** Returns the channels that the agent is logged in to, as far as they exist for the key. */
export const channelsHeard = (ctx: AppContext, caller: AgentIdentity): Set<number> =>
  new Set(channelsOfAgent(ctx, caller.agentId).filter((id) => isInScope(caller, id)));
