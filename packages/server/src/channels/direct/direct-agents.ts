import { hasBlocked } from "../../accounts/blocks/blocks.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { channelChanged, membershipChanged } from "../channel-cache.ts";
import { type Actor, findActor, insertAgent, insertMember } from "../members/members.store.ts";
import { memberRecord, publishPlace } from "../members/notify-members.ts";
import { assertTalksWith } from "./agent-policy.ts";
import { insertHiddenChannel, type Opened } from "./direct.service.ts";
import { discardChannel } from "./direct.store.ts";
import { findDirectAgent, hasAcceptedKey, insertDirectAgent, reopenDirectAgent } from "./direct-agents.store.ts";

/**
 * Opens the direct conversation of the caller and an agent, under one of the agent's names (protocol §3). An existing
 * one returns to the caller's list if they had closed it; a new one is announced to the caller's other sockets.
 *
 * The conversation is an invitation-only channel, owned by `system`, with one user and one agent as plain members, so
 * the agent reads and answers there as in any channel it was added to.
 * Errors: `agent_not_found`, `direct_not_allowed` (also for a new conversation with an agent that has no accepted key),
 * `user_blocked`.
 */
export async function openDirectWithAgent(ctx: AppContext, caller: UserIdentity, agentName: string): Promise<Opened> {
  return transact(ctx, async (ctx) => {
    const agent = await findActor(ctx.db, agentName);
    if (agent?.kind !== "agent") throw fail("agent_not_found");
    if (await hasBlocked(ctx, caller.userId, `a${agent.id}`)) throw fail("user_blocked");
    await assertTalksWith(ctx, caller, agent.id);
    const { channelId, isNew } = await findOrMake(ctx, caller, agent);
    await addBoth(ctx, channelId, caller, agent.id);
    if (isNew) await publishPlace(ctx, channelId, caller.userId);
    else if (await reopenDirectAgent(ctx.db, channelId)) channelChanged(ctx, channelId);
    return { channel: await memberRecord(ctx, channelId, caller.userId), isNew };
  });
}

async function findOrMake(
  ctx: AppContext,
  caller: UserIdentity,
  agent: Actor,
): Promise<{ channelId: number; isNew: boolean }> {
  const key = { user_id: caller.userId, name_key: nameKey(agent.name) };
  const known = await findDirectAgent(ctx.db, key.user_id, key.name_key);
  if (known !== null) return { channelId: known, isNew: false };
  if (!(await hasAcceptedKey(ctx.db, agent.id, ctx.clock.now()))) {
    throw fail("direct_not_allowed", { message: "This agent has no API key, so nobody would read your message." });
  }
  const made = await insertHiddenChannel(ctx, [caller.username, agent.name].sort().join(", "), "allow");
  const conversation = { ...key, agent_id: agent.id, agent_name: agent.name, channel_id: made };
  if (!(await insertDirectAgent(ctx.db, conversation))) {
    // The same user opened it concurrently.
    await discardChannel(ctx.db, made);
    const twin = await findDirectAgent(ctx.db, key.user_id, key.name_key);
    if (twin === null) throw fail("channel_not_found");
    return { channelId: twin, isNew: false };
  }
  channelChanged(ctx, made);
  return { channelId: made, isNew: true };
}

/**
 * Adds those of the two who are not members: in a new conversation, or in one that the user left on a node of the
 * release before, to which it was a private channel like any other.
 */
async function addBoth(ctx: AppContext, channelId: number, caller: UserIdentity, agentId: number): Promise<void> {
  const joinedAt = ctx.clock.now();
  if (await insertMember(ctx.db, { channelId, userId: caller.userId, role: "member", joinedAt }))
    membershipChanged(ctx, channelId, caller.key);
  if (await insertAgent(ctx.db, { channelId, agentId, addedBy: caller.userId, joinedAt }))
    membershipChanged(ctx, channelId, `a${agentId}`);
}
