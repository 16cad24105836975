import { PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { hook } from "../../hook.ts";
import { memberKey, parseMemberKey } from "../../http/identity.ts";
import type { OnRevoked } from "../../payments/recheck.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { agentTopic } from "../../realtime/topics.ts";
import { parsePlaceResource } from "../access/pricing.ts";
import { type Channel, isOpen } from "../channel.ts";
import { findChannel, membershipChanged } from "../channel-cache.ts";
import { hasLogins, loginsOf } from "./agents-online.ts";
import {
  type Actor,
  agentLogins,
  deleteAgent,
  deleteMember,
  findActor,
  findAgentMembership,
  memberIds,
  namelessAgents,
} from "./members.store.ts";

/**
 * Removes a user or agent from the channel, in the caller's transaction: the membership, the agent's login, and at once
 * the channel's events.
 */
export async function expel(
  ctx: AppContext,
  channel: Channel,
  target: Actor,
  reason: "kicked" | "banned",
): Promise<void> {
  if (target.kind === "user") await deleteMember(ctx.db, channel.id, target.id);
  else await expelAgent(ctx, channel, target.id, reason);
  membershipChanged(ctx, channel.id, memberKey(target));
  await endAccess(ctx, channel.id, target, reason);
}

/** An agent that somebody removed from a channel it was in. */
export interface RemovedAgent {
  agentId: number;
  channel: Channel;
  reason: "kicked" | "banned";
}

/** An agent that somebody added to a channel. */
export type AddedAgent = Omit<RemovedAgent, "reason">;

/** Called in the transaction that adds an agent to a channel. */
export const onAgentAdded = hook<(ctx: AppContext, added: AddedAgent) => Promise<void>>();

/** Called in the transaction that removes an agent from a channel. */
export const onAgentRemoved = hook<(ctx: AppContext, removed: RemovedAgent) => Promise<void> | void>();

async function expelAgent(
  ctx: AppContext,
  channel: Channel,
  agentId: number,
  reason: RemovedAgent["reason"],
): Promise<void> {
  const isLoggedIn = (await agentLogins(ctx.db, channel.id)).some(({ agent_id }) => agent_id === agentId);
  const wasAdded = await deleteAgent(ctx.db, channel.id, agentId);
  if (!isLoggedIn && !wasAdded) return;
  for (const listener of onAgentRemoved.of(ctx)) await listener(ctx, { agentId, channel, reason });
}

/** Called in the transaction that ends an agent's access to a channel, to delete its logins there. */
export const onAgentDismissed = hook<(ctx: AppContext, channelId: number, agentId: number) => Promise<unknown>>();

/**
 * Stops the target's events of the channel and sends the reason, before any event published later in the transaction. An
 * agent's logins are deleted in the same transaction, so that one that follows the answer is a new one.
 */
async function endAccess(
  ctx: AppContext,
  channelId: number,
  target: Pick<Actor, "kind" | "id">,
  reason: "kicked" | "banned" | "private" | "deleted",
): Promise<void> {
  // The gateway that holds a socket notifies it; an agent's streams listen to the agent's own topic.
  if (target.kind === "agent" && loginsOf(ctx, channelId, target.id).length > 0) {
    publishEvent(ctx, agentTopic(target.id), "access:ended", { channel_id: channelId, reason });
  }
  publishControl(ctx, "access_ended", { channelId, member: memberKey(target), reason });
  if (target.kind === "agent") {
    for (const listener of onAgentDismissed.of(ctx)) await listener(ctx, channelId, target.id);
  }
}

/** Logs out the channel's agents. With the reason `private`, agents that were added stay. */
export async function dismissAgents(
  ctx: AppContext,
  channelId: number,
  reason: "kicked" | "private" | "deleted",
): Promise<void> {
  for (const id of new Set((await agentLogins(ctx.db, channelId)).map(({ agent_id }) => agent_id))) {
    if (reason === "private" && (await findAgentMembership(ctx.db, channelId, id)) !== null) continue;
    await endAccess(ctx, channelId, { kind: "agent", id }, reason);
  }
}

/** Logs out the agents in a channel that was deleted or is no longer open. */
export async function dismissOutsiders(ctx: AppContext, channelId: number): Promise<void> {
  if (!hasLogins(ctx, channelId)) return;
  await transact(ctx, async (ctx) => {
    const channel = await findChannel(ctx, { id: channelId });
    if (channel === null) await dismissAgents(ctx, channelId, "deleted");
    else if (!isOpen(channel)) await dismissAgents(ctx, channelId, "private");
  });
}

/**
 * Removes users, guests and agents that are not members from a channel that was open until now. Call before publishing
 * the change, so that they do not receive it.
 */
export async function shutOut(ctx: AppContext, channelId: number): Promise<void> {
  publishControl(ctx, "channel_closed", { channelId, memberIds: await memberIds(ctx.db, channelId) });
  await dismissAgents(ctx, channelId, "private");
}

/**
 * Returns the actors with this name. The shared name means the channel's agents without a name of their own, and those
 * online under it.
 */
export async function actorsNamed(ctx: AppContext, channel: Channel, name: string): Promise<Actor[]> {
  const actor = await findActor(ctx.db, name);
  if (actor !== null) return [actor];
  if (!isSharedName(name)) return [];
  const ids = new Set(await namelessAgents(ctx.db, channel.id));
  for (const login of await agentLogins(ctx.db, channel.id)) {
    if (login.agent_name === PLATFORM_AGENT) ids.add(login.agent_id);
  }
  return [...ids].map((id) => ({ kind: "agent", id, name: PLATFORM_AGENT }));
}

/** True if this is the shared name that every agent may use. */
export const isSharedName = (name: string): boolean => nameKey(name) === nameKey(PLATFORM_AGENT);

/** Ends a paid membership when the payment is revoked, unless the user owns the channel by now. */
export const revokePaidMembership: OnRevoked = async (ctx: AppContext, { resource, principal }) => {
  const id = parsePlaceResource(resource);
  const member = parseMemberKey(principal);
  const channel = id === null ? null : await findChannel(ctx, { id });
  if (channel === null || member === null) return;
  if (member.kind === "user" && channel.ownerId === member.id) return;
  // Only the id matters here, not the name.
  await expel(ctx, channel, { ...member, name: "" }, "kicked");
};
