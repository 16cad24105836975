import { RATES } from "@parley/protocol/limits";
import { verifyPassword } from "../../accounts/passwords/passwords.ts";
import { audit } from "../../audit/audit.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../../http/identity.ts";
import { identitySubject, rateLimited } from "../../http/rates.ts";
import { ADMINISTRATOR, hasLevel } from "../../http/site-levels.ts";
import type { Pay } from "../../payments/pay/transports.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { accessDeniedError, channelInScope, membershipOf, readableChannel, roleIn } from "../access/access.ts";
import { becomeMember } from "../access/become-member.ts";
import { placeIn } from "../access/pricing.ts";
import { assertNotBanned, assertNotBannedUnderLock } from "../bans/bans.ts";
import { type Channel, type ChannelRef, type ChannelRole, checkSame, isOpen } from "../channel.ts";
import { findChannel, membershipChanged } from "../channel-cache.ts";
import { findPasswordHash } from "../channels.store.ts";
import { closeDirect } from "../direct/direct.service.ts";
import { deleteAgent, deleteMember, findMembership, insertAgent } from "./members.store.ts";

export interface Joined {
  channel: Channel;
  /** null for guests, and for agents in a public channel they were not added to. */
  role: ChannelRole | null;
  /** Set after a payment just now: the token that retrieves the purchase again. */
  refetchToken?: string | undefined;
}

/**
 * Joins a channel. Users become members. Agents need the password of a private channel and need not be added to a
 * public one. Guests do not become members but may be where they may read.
 * Errors: `channel_not_found`, `password_required`, `wrong_password`, `rate_limited`, `banned`, `agents_not_allowed`,
 * `session_required`, `forbidden` (administrators, of a direct conversation), and for a priced channel those of `pay`.
 */
export async function joinChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password: string | null | undefined,
  pay: Pay,
): Promise<Joined> {
  if (caller.kind === "guest") return { channel: await readableChannel(ctx, caller, ref), role: null };
  const channel = await channelInScope(ctx, caller, ref);
  const role = await roleIn(ctx, caller, channel);
  // A ban error must not reveal a hidden channel, and a password must not bypass a ban.
  if (role === null && (!channel.isPrivate || channel.hasPassword)) await assertNotBanned(ctx, caller, channel.id);
  const byLevel = role === null && !isOpen(channel) && (await letIn(ctx, caller, channel, password ?? null));
  checkSame(channel, ref);
  // The policy error must not reveal a hidden channel, so it follows the access check.
  if (caller.kind === "agent" && channel.agent_policy === "deny") throw fail("agents_not_allowed");
  if (role !== null) return { channel, role };
  const isSold = channel.price !== null && !byLevel;
  // A caller who loses the right to enter before the payment is found is not charged.
  if (isSold) ctx.act?.remember((ctx, caller) => assertMayEnter(ctx, caller, channel.id), channel.id);
  const grant = isSold ? await pay(placeIn(channel)) : null;
  if (caller.kind === "user") await enrol(ctx, caller, channel, byLevel);
  else if (!isOpen(channel)) await addAgent(ctx, channel.id, caller.agentId, null);
  return { channel, role: await roleIn(ctx, caller, channel), refetchToken: grant?.refetchToken };
}

/** Errors: `channel_not_found`, `banned`, `agents_not_allowed`. */
async function assertMayEnter(ctx: AppContext, caller: Identity, id: number): Promise<void> {
  const { agent_policy } = await channelInScope(ctx, caller, { id });
  await assertNotBanned(ctx, caller, id);
  if (caller.kind === "agent" && agent_policy === "deny") throw fail("agents_not_allowed");
}

/**
 * Subscribes a socket: callers who may read the channel may listen without joining. For others, the right password or a
 * payment makes them members (protocol §8). Errors: those of `joinChannel`.
 */
export async function enterChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password: string | null | undefined,
  pay: Pay,
): Promise<Joined> {
  if (caller.kind !== "guest") {
    const channel = await channelInScope(ctx, caller, ref);
    const isSold = channel.price !== null && !hasLevel(caller, ADMINISTRATOR);
    if (channel.isPrivate ? typeof password === "string" : isSold) return joinChannel(ctx, caller, ref, password, pay);
  }
  const channel = await readableChannel(ctx, caller, ref);
  return { channel, role: await roleIn(ctx, caller, channel) };
}

async function enrol(ctx: AppContext, caller: UserIdentity, channel: Channel, byLevel: boolean): Promise<void> {
  await transact(ctx, async (ctx) => {
    const joined = await becomeMember(ctx, channel.id, caller.userId);
    if (joined && byLevel) await audit(ctx, caller, "channel_join", `channel:${channel.id}`);
  });
}

/**
 * Checks the entry to a channel that is not open: the password of a private one, independent of any price. Returns true
 * if the caller enters by their site level. Password attempts are rate-limited per caller across all channels (protocol
 * §3): 5 wrong ones a minute, and 20 in all, because each takes a hash.
 */
async function letIn(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  password: string | null,
): Promise<boolean> {
  if (!channel.isPrivate) return hasLevel(caller, ADMINISTRATOR);
  // Nobody can join a direct conversation. Administrators may read it, so for them it is not hidden.
  if (channel.direct !== null) throw hasLevel(caller, ADMINISTRATOR) ? fail("forbidden") : accessDeniedError(channel);
  if (password === null && hasLevel(caller, ADMINISTRATOR)) return true;
  if (password === null || !channel.hasPassword) throw accessDeniedError(channel);
  // Taken before the check, so that concurrent guesses count too; a correct password is refunded.
  const subject = identitySubject(caller, { address: "" });
  for (const rate of [RATES.channelPasswordCheck, RATES.channelPassword]) {
    const decision = await ctx.limiter.take(rate, subject);
    if (!decision.allowed) throw rateLimited(decision);
  }
  const hash = await findPasswordHash(ctx.db, channel.id);
  if (!(await verifyPassword(ctx, password, hash))) throw fail("wrong_password");
  // A password that is replaced while it is verified lets nobody in.
  ctx.act?.remember(async (ctx) => {
    if ((await findPasswordHash(ctx.db, channel.id)) !== hash) throw fail("wrong_password");
  }, channel.id);
  ctx.limiter.giveBack(RATES.channelPassword, subject);
  return false;
}

/** Adds an agent to a channel; returns whether anything changed. Errors: `channel_not_found`, `banned`. */
export function addAgent(
  ctx: AppContext,
  channelId: number,
  agentId: number,
  addedBy: number | null,
): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    await assertNotBannedUnderLock(ctx, channelId, `a${agentId}`);
    const added = await insertAgent(ctx.db, { channelId, agentId, addedBy, joinedAt: ctx.clock.now() });
    if (added) membershipChanged(ctx, channelId, `a${agentId}`);
    return added;
  });
}

/**
 * Makes an agent that takes part in an open channel a member of it; nothing happens if the channel is closed to it by now.
 * Errors: `channel_not_found`, `banned`.
 */
export async function joinAsAgent(ctx: AppContext, channelId: number, agentId: number): Promise<void> {
  await transact(ctx, async (ctx) => {
    await assertNotBannedUnderLock(ctx, channelId, `a${agentId}`);
    const channel = await findChannel(ctx, { id: channelId });
    if (channel !== null && isOpen(channel) && channel.agent_policy !== "deny")
      await addAgent(ctx, channelId, agentId, null);
  });
}

/** Takes an agent out of a channel that it was added to; idempotent. Leaving one that is not open ends its events. */
export async function leaveAsAgent(ctx: AppContext, channel: Channel, agentId: number): Promise<void> {
  await transact(ctx, async (ctx) => {
    if (!(await deleteAgent(ctx.db, channel.id, agentId))) return;
    membershipChanged(ctx, channel.id, `a${agentId}`);
    if (isOpen(channel)) return;
    publishControl(ctx, "access_ended", { channelId: channel.id, member: `a${agentId}`, reason: "left" });
  });
}

/**
 * Leaves a channel; idempotent. Leaving a private channel ends its events. A direct conversation is only closed: hidden
 * from the list until the next message.
 * Errors: `channel_not_found`, `password_required`, `owner_cannot_leave`.
 */
export async function leaveChannel(ctx: AppContext, caller: UserIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await readableChannel(ctx, caller, ref);
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) return channel;
  if (place.role === "owner") throw fail("owner_cannot_leave");
  if (channel.direct !== null) {
    await closeDirect(ctx, caller, channel);
    return channel;
  }
  await transact(ctx, async (ctx) => {
    if (!(await deleteMember(ctx.db, channel.id, caller.userId))) {
      // The caller became the owner concurrently, or had already left.
      if ((await findMembership(ctx.db, channel.id, caller.userId)) !== null) throw fail("owner_cannot_leave");
      return;
    }
    membershipChanged(ctx, channel.id, caller.key);
    if (!isOpen(channel))
      publishControl(ctx, "access_ended", { channelId: channel.id, member: caller.key, reason: "left" });
  });
  return channel;
}
