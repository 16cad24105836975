import { nameKey } from "../accounts/names.ts";
import { PLATFORM_AGENT } from "../agents/agent-names.ts";
import type { AppContext } from "../context.ts";
import { announce } from "../realtime/control.ts";
import { publishEvent } from "../realtime/publish.ts";
import { agentTopic } from "../realtime/topics.ts";
import { type Channel, membershipChanged } from "./channel-cache.ts";
import { type Actor, deleteAgent, deleteMember, findActor, memberKey, namelessAgents } from "./members.store.ts";

/** Takes somebody out of the channel, in the caller's transaction: the membership, the agent's login, and at once what they hear. */
export async function expel(
  ctx: AppContext,
  channel: Channel,
  target: Actor,
  reason: "kicked" | "banned",
): Promise<void> {
  if (target.kind === "user") await deleteMember(ctx.db, channel.id, target.id);
  else await deleteAgent(ctx.db, channel.id, target.id);
  membershipChanged(ctx, channel.id, memberKey(target));
  // A socket is told by the gateway that holds it; an agent's streams listen to the agent's own topic.
  if (target.kind === "agent" && ctx.presence.has(channel.id, "agent", target.id)) {
    publishEvent(ctx, agentTopic(target.id), "access:ended", { channel_id: channel.id, reason });
  }
  announce(ctx, "access_ended", `${channel.id}:${memberKey(target)}:${reason}`);
}

/** A name is one actor's; the shared name stands for the agents here that have no other, and those who are online under it. */
export async function actorsNamed(ctx: AppContext, channel: Channel, name: string): Promise<Actor[]> {
  const actor = await findActor(ctx.db, name);
  if (actor !== null) return [actor];
  if (!isSharedName(name)) return [];
  const ids = new Set(await namelessAgents(ctx.db, channel.id));
  for (const entry of ctx.presence.list(channel.id, Number.MAX_SAFE_INTEGER)) {
    if (entry.kind === "agent" && entry.name === PLATFORM_AGENT) ids.add(entry.id);
  }
  return [...ids].map((id) => ({ kind: "agent", id, name: PLATFORM_AGENT }));
}

/** Is it the name every agent may use? */
export const isSharedName = (name: string): boolean => nameKey(name) === nameKey(PLATFORM_AGENT);
