import { nameKey } from "../accounts/names.ts";
import { PLATFORM_AGENT } from "../agents/agent-names.ts";
import type { AppContext } from "../context.ts";
import { announce } from "../realtime/control.ts";
import { publishEvent } from "../realtime/publish.ts";
import { agentTopic } from "../realtime/topics.ts";
import { type Channel, findChannel, isOpen, membershipChanged } from "./channel-cache.ts";
import {
  type Actor,
  deleteAgent,
  deleteMember,
  findActor,
  findAgentMembership,
  memberIds,
  memberKey,
  namelessAgents,
} from "./members.store.ts";

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
  endAccess(ctx, channel.id, target, reason);
}

/** Ends at once what they hear of the channel, and says why: before any event that is published later in the transaction. */
function endAccess(
  ctx: AppContext,
  channelId: number,
  target: Pick<Actor, "kind" | "id">,
  reason: "kicked" | "banned" | "private" | "deleted",
): void {
  // A socket is told by the gateway that holds it; an agent's streams listen to the agent's own topic.
  if (target.kind === "agent" && ctx.presence.has(channelId, "agent", target.id)) {
    publishEvent(ctx, agentTopic(target.id), "access:ended", { channel_id: channelId, reason });
  }
  announce(ctx, "access_ended", `${channelId}:${memberKey(target)}:${reason}`);
}

/** Logs out the agents here; where the channel is private now, those that were added stay. */
export async function dismissAgents(
  ctx: AppContext,
  channelId: number,
  reason: "kicked" | "private" | "deleted",
): Promise<void> {
  for (const { kind, id } of ctx.presence.list(channelId, Number.MAX_SAFE_INTEGER)) {
    if (kind !== "agent") continue;
    if (reason === "private" && (await findAgentMembership(ctx.db, channelId, id)) !== null) continue;
    endAccess(ctx, channelId, { kind, id }, reason);
  }
}

/** Logs out the agents that are in a channel which is gone, or private by now. */
export async function dismissOutsiders(ctx: AppContext, channelId: number): Promise<void> {
  if (!ctx.presence.list(channelId, Number.MAX_SAFE_INTEGER).some(({ kind }) => kind === "agent")) return;
  const channel = await findChannel(ctx, { id: channelId });
  if (channel === null) await dismissAgents(ctx, channelId, "deleted");
  else if (!isOpen(channel)) await dismissAgents(ctx, channelId, "private");
}

/**
 * Shuts a channel that was open to everybody until now for those who have no place in it: users, guests and agents. Call it before the
 * event that tells of the change, so that they hear nothing of it.
 */
export async function shutOut(ctx: AppContext, channelId: number): Promise<void> {
  announce(ctx, "channel_closed", `${channelId}:${await memberIds(ctx.db, channelId)}`);
  await dismissAgents(ctx, channelId, "private");
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
