import { RATES } from "@parley/protocol/limits";
import { verifyPassword } from "../accounts/passwords.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { identitySubject, rateLimited } from "../http/rates.ts";
import { announce } from "../realtime/control.ts";
import {
  ADMINISTRATOR,
  becomeMember,
  existingChannel,
  hasLevel,
  keptOut,
  membershipOf,
  readableChannel,
  roleIn,
} from "./access.ts";
import { audit } from "./audit.ts";
import { type Channel, type ChannelRef, type ChannelRole, membershipChanged } from "./channel-cache.ts";
import { findPasswordHash } from "./channels.store.ts";
import { deleteMember, insertAgent } from "./members.store.ts";

export interface Joined {
  channel: Channel;
  /** null for guests, and for agents in a public channel they were not added to. */
  role: ChannelRole | null;
}

/**
 * Joins a channel. Users become members; agents are let into a private one by its password, and need not be added to a public one;
 * guests join nothing, but may be where they may read.
 * Errors: `channel_not_found`, `password_required`, `wrong_password`, `rate_limited`, `agents_not_allowed`, `session_required`.
 */
export async function joinChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password?: string | null,
): Promise<Joined> {
  if (caller.kind === "guest") return { channel: await readableChannel(ctx, caller, ref), role: null };
  const channel = await existingChannel(ctx, ref);
  const role = await roleIn(ctx, caller, channel);
  if (role === null && channel.isPrivate) await letIn(ctx, caller, channel, password ?? null);
  // A hidden channel must not show by its policy, so that comes after.
  if (caller.kind === "agent" && channel.agentPolicy === "deny") throw fail("agents_not_allowed");
  if (role !== null) return { channel, role };
  if (caller.kind === "user") await becomeMember(ctx, channel.id, caller.userId);
  else if (channel.isPrivate) await addAgent(ctx, channel.id, caller.agentId, null);
  return { channel, role: await roleIn(ctx, caller, channel) };
}

/**
 * What a socket does to subscribe: whoever may read the channel may listen to it and joins nothing by that; the right password makes a
 * member of who may not (contract, section 8). Errors: those of `joinChannel`.
 */
export async function enterChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password?: string | null,
): Promise<Joined> {
  if (caller.kind !== "guest" && typeof password === "string" && (await existingChannel(ctx, ref)).isPrivate) {
    return joinChannel(ctx, caller, ref, password);
  }
  const channel = await readableChannel(ctx, caller, ref);
  return { channel, role: await roleIn(ctx, caller, channel) };
}

/** The door of a private channel. Wrong passwords are counted per caller, over all channels (contract, section 3: 5 a minute). */
async function letIn(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  password: string | null,
): Promise<void> {
  if (password === null && caller.kind === "user" && hasLevel(caller, ADMINISTRATOR)) {
    await audit(ctx, caller, "channel_join", channel.id);
    return;
  }
  if (password === null || !channel.hasPassword) throw keptOut(channel);
  // Taken before the look, so that guesses at the same time are counted too; the right one costs nothing.
  const subject = identitySubject(caller, { address: "" });
  const decision = ctx.limiter.take(RATES.channelPassword, subject);
  if (!decision.allowed) throw rateLimited(decision);
  const hash = await findPasswordHash(ctx.db, channel.id);
  if (!(await verifyPassword(ctx, password, hash))) throw fail("wrong_password");
  ctx.limiter.giveBack(RATES.channelPassword, subject);
}

/** Lets an agent into a channel; tells whether that changed anything. */
export function addAgent(
  ctx: AppContext,
  channelId: number,
  agentId: number,
  addedBy: number | null,
): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    const added = await insertAgent(ctx.db, { channelId, agentId, addedBy, joinedAt: ctx.clock.now() });
    if (added) membershipChanged(ctx, channelId, `a${agentId}`);
    return added;
  });
}

/**
 * Leaves a channel; leaving one twice is the same as once. Whoever leaves a private one hears it no longer.
 * Errors: `channel_not_found`, `password_required`, `owner_cannot_leave`.
 */
export async function leaveChannel(ctx: AppContext, caller: UserIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await readableChannel(ctx, caller, ref);
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) return channel;
  if (place.role === "owner") throw fail("owner_cannot_leave");
  await transact(ctx, async (ctx) => {
    if (!(await deleteMember(ctx.db, channel.id, caller.userId))) return;
    membershipChanged(ctx, channel.id, `u${caller.userId}`);
    if (channel.isPrivate) announce(ctx, "access_ended", `${channel.id}:u${caller.userId}:left`);
  });
  return channel;
}
