import { RATES } from "@parley/protocol/limits";
import { verifyPassword } from "../accounts/passwords.ts";
import { audit } from "../administration/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { identitySubject, rateLimited } from "../http/rates.ts";
import { type Pay, payOnSocket } from "../payments/desk.ts";
import { announce } from "../realtime/control.ts";
import {
  ADMINISTRATOR,
  becomeMember,
  checkSame,
  existingChannel,
  hasLevel,
  keptOut,
  membershipOf,
  readableChannel,
  roleIn,
} from "./access.ts";
import { refuseBanned, refuseBannedUnderLock } from "./bans.ts";
import { type Channel, type ChannelRef, type ChannelRole, isOpen, membershipChanged } from "./channel-cache.ts";
import { findPasswordHash } from "./channels.store.ts";
import { closeDirect } from "./direct.service.ts";
import { deleteMember, findMembership, insertAgent } from "./members.store.ts";
import { placeIn } from "./pricing.ts";

export interface Joined {
  channel: Channel;
  /** null for guests, and for agents in a public channel they were not added to. */
  role: ChannelRole | null;
  /** Of a place that was paid for just now: fetches it again. */
  refetchToken?: string | undefined;
}

/**
 * Joins a channel. Users become members; agents are let into a private one by its password, and need not be added to a public one;
 * guests join nothing, but may be where they may read.
 * Errors: `channel_not_found`, `password_required`, `wrong_password`, `rate_limited`, `banned`, `agents_not_allowed`, `session_required`,
 * `forbidden` (administrators, of a direct conversation), and where it has a price those of `pay`.
 */
export async function joinChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password?: string | null,
  pay: Pay = payOnSocket(ctx, caller, null),
): Promise<Joined> {
  if (caller.kind === "guest") return { channel: await readableChannel(ctx, caller, ref), role: null };
  const channel = await existingChannel(ctx, ref);
  const role = await roleIn(ctx, caller, channel);
  // A hidden channel must not show by a ban; a password is no way around one.
  if (role === null && (!channel.isPrivate || channel.hasPassword)) await refuseBanned(ctx, caller, channel.id);
  const byLevel = role === null && !isOpen(channel) && (await letIn(ctx, caller, channel, password ?? null));
  checkSame(channel, ref);
  // A hidden channel must not show by its policy, so that comes after.
  if (caller.kind === "agent" && channel.agentPolicy === "deny") throw fail("agents_not_allowed");
  if (role !== null) return { channel, role };
  const grant = channel.price !== null && !byLevel ? await pay(placeIn(channel)) : null;
  if (caller.kind === "user") await enrol(ctx, caller, channel, byLevel);
  else if (!isOpen(channel)) await addAgent(ctx, channel.id, caller.agentId, null);
  return { channel, role: await roleIn(ctx, caller, channel), refetchToken: grant?.refetchToken };
}

/**
 * What a socket does to subscribe: whoever may read the channel may listen to it and joins nothing by that; the right password, or
 * payment, makes a member of who may not (protocol §8). Errors: those of `joinChannel`.
 */
export async function enterChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  password?: string | null,
  pay: Pay = payOnSocket(ctx, caller, null),
): Promise<Joined> {
  if (caller.kind !== "guest") {
    const channel = await existingChannel(ctx, ref);
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
 * The door of a channel that is not open: of a private one its password, beside any price; true for who comes in by his level on the site. Wrong passwords are counted per caller, over all
 * channels (protocol §3: 5 a minute).
 */
async function letIn(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  password: string | null,
): Promise<boolean> {
  if (!channel.isPrivate) return hasLevel(caller, ADMINISTRATOR);
  // Of a direct conversation nobody becomes the third. Administrators may read it, so to them it is there.
  if (channel.direct !== null) throw hasLevel(caller, ADMINISTRATOR) ? fail("forbidden") : keptOut(channel);
  if (password === null && hasLevel(caller, ADMINISTRATOR)) return true;
  if (password === null || !channel.hasPassword) throw keptOut(channel);
  // Taken before the look, so that guesses at the same time are counted too; the right one costs nothing.
  const subject = identitySubject(caller, { address: "" });
  const decision = ctx.limiter.take(RATES.channelPassword, subject);
  if (!decision.allowed) throw rateLimited(decision);
  const hash = await findPasswordHash(ctx.db, channel.id);
  if (!(await verifyPassword(ctx, password, hash))) throw fail("wrong_password");
  ctx.limiter.giveBack(RATES.channelPassword, subject);
  return false;
}

/** Lets an agent into a channel; tells whether that changed anything. Errors: `channel_not_found`, `banned`. */
export function addAgent(
  ctx: AppContext,
  channelId: number,
  agentId: number,
  addedBy: number | null,
): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    await refuseBannedUnderLock(ctx, channelId, `a${agentId}`);
    const added = await insertAgent(ctx.db, { channelId, agentId, addedBy, joinedAt: ctx.clock.now() });
    if (added) membershipChanged(ctx, channelId, `a${agentId}`);
    return added;
  });
}

/**
 * Leaves a channel; leaving one twice is the same as once. Whoever leaves a private one hears it no longer. A direct conversation is only
 * closed: out of the list until something new is said.
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
      // Made its owner in the same moment, or out already.
      if ((await findMembership(ctx.db, channel.id, caller.userId)) !== null) throw fail("owner_cannot_leave");
      return;
    }
    membershipChanged(ctx, channel.id, caller.key);
    if (!isOpen(channel)) announce(ctx, "access_ended", `${channel.id}:${caller.key}:left`);
  });
  return channel;
}
