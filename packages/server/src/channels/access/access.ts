import type { ErrorCode } from "@parley/protocol/errors";
import { andThen, valueIfReady } from "../../base/maybe-promise.ts";
import type { AppContext, RightCheck } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../../http/identity.ts";
import { channelsInScope } from "../../http/key-scopes.ts";
import { ADMINISTRATOR, hasLevel, MODERATOR } from "../../http/site-levels.ts";
import { assertNotBanned } from "../bans/bans.ts";
import { type Channel, type ChannelRef, type ChannelRole, checkSame, isOpen, type Membership } from "../channel.ts";
import { agentAdded, findChannel, membership } from "../channel-cache.ts";
import { assertNotMuted, assertNotMutedBefore } from "../members/mutes.ts";
import { enter } from "./become-member.ts";
import { assertMayTalk } from "./may-talk.ts";
import { paymentRequiredError } from "./pricing.ts";
import { auditPrivateRead } from "./private-read.ts";

/** The rights a caller needs in a channel. Site levels substitute for `moderator` and `admin` upwards. */
export type Need = "moderator" | "admin" | "owner";

/** Returns the caller's membership in the channel; null for guests and non-members. */
export async function membershipOf(ctx: AppContext, caller: Identity, channel: Channel): Promise<Membership | null> {
  if (caller.kind === "user") return membership(ctx, channel.id, caller.userId);
  if (caller.kind === "agent") return agentAdded(ctx, channel.id, caller.agentId);
  return null;
}

/** Returns the caller's role in the channel, as `my_role` shows it. */
export async function roleIn(ctx: AppContext, caller: Identity, channel: Channel): Promise<ChannelRole | null> {
  return (await membershipOf(ctx, caller, channel))?.role ?? null;
}

/**
 * True if a caller who moderates with this channel role does so by their site level. That is an administrative act and
 * is audited (audit/audit.ts).
 */
export const isByLevel = (role: ChannelRole | null): boolean => role !== "owner" && role !== "admin";

/** Returns the channel without checking access. Errors: `channel_id_required`, `channel_not_found`. */
export async function existingChannel(ctx: AppContext, ref: ChannelRef): Promise<Channel> {
  if (ref.id === undefined && ref.slug === undefined) throw fail("channel_id_required");
  const channel = await findChannel(ctx, ref);
  if (channel === null) throw fail("channel_not_found");
  return channel;
}

/**
 * Returns the channel without checking more than whether the caller's key is limited to others. Such a key does not
 * learn whether another channel exists. Errors: those of `existingChannel`, `channel_not_in_scope`.
 */
export async function channelInScope(ctx: AppContext, caller: Identity, ref: ChannelRef): Promise<Channel> {
  const scope = channelsInScope(caller);
  if (scope === null) return existingChannel(ctx, ref);
  const channel = await findChannel(ctx, ref);
  if (!scope.has(channel?.id ?? ref.id ?? 0)) throw fail("channel_not_in_scope");
  return existingChannel(ctx, ref);
}

/**
 * Returns a channel whose history this caller may read (protocol §1, §3). Administrators may also read private and
 * priced channels; these reads are audited.
 * `missing`: the error for a channel that the caller may not know of, if they asked for something in it.
 * Errors: `session_required` (guests) and `banned`, both only when guests may not read; `missing`,
 * `channel_not_in_scope`, `password_required`, `payment_required`, `payments_not_configured`.
 */
export function readableChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  missing: ErrorCode = "channel_not_found",
): Channel | Promise<Channel> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const channel = valueIfReady(findChannel(ctx, ref));
  if (channel == null || !isOpen(channel) || !ctx.config.guestRead || channelsInScope(caller) !== null)
    return readablePlace(ctx, caller, ref, missing).then((found) => checkSame(found, ref));
  return checkSame(channel, ref);
}

/** Finds a channel that not everybody may read; the right to do so is decided again with what is written then. */
async function readablePlace(ctx: AppContext, caller: Identity, ref: ChannelRef, missing: ErrorCode): Promise<Channel> {
  const find = async (ctx: AppContext, caller: Identity, ref: ChannelRef) => {
    try {
      return await findReadable(ctx, caller, ref);
    } catch (error) {
      throw error instanceof AppError && error.code === "channel_not_found" ? fail(missing) : error;
    }
  };
  const channel = await find(ctx, caller, ref);
  ctx.act?.remember((ctx, caller) => find(ctx, caller, { id: channel.id }), channel.id);
  return channel;
}

async function findReadable(ctx: AppContext, caller: Identity, ref: ChannelRef): Promise<Channel> {
  const channel = await channelInScope(ctx, caller, ref);
  if (isOpen(channel)) {
    // A banned caller may read what guests may read (protocol §3); if guests may not read, neither may they.
    if (!ctx.config.guestRead) await assertNotBanned(ctx, caller, channel.id);
    return channel;
  }
  if ((await membershipOf(ctx, caller, channel)) !== null) return channel;
  if (caller.kind === "user" && hasLevel(caller, ADMINISTRATOR)) {
    await auditPrivateRead(ctx, caller, channel.id);
    return channel;
  }
  throw channel.isPrivate ? accessDeniedError(channel) : await paymentRequiredError(ctx, channel);
}

/**
 * Returns the error for an outsider of a private channel. Only channels with a password are listed; an invitation-only
 * channel appears not to exist.
 */
export function accessDeniedError(channel: Channel) {
  return fail(channel.hasPassword ? "password_required" : "channel_not_found");
}

/**
 * Returns a channel this caller may post to now; a user who posts to a public channel joins it (protocol §1).
 * `mention_only` and slow mode depend on the message and are checked with it.
 * Errors: `channel_not_found`, `password_required`, `banned`, `muted`, `post_policy`, `agents_not_allowed`, `blocked`,
 * `user_blocked`, `direct_not_allowed`.
 */
export function writableChannel(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  ref: ChannelRef,
): Channel | Promise<Channel> {
  return andThen(writableAtOnce(ctx, caller, ref) ?? findWritable(ctx, caller, ref), (channel) => {
    ctx.act?.remember(again(channel.id, checkWritable, true), channel.id);
    return channel;
  });
}

/**
 * Returns what decides again about a caller whom `check` let into the channel. `isIn`: a user who takes part in an open
 * channel has joined it; who has lost their place since does not join again.
 */
function again(id: number, check: typeof checkWritable, isIn: boolean): RightCheck {
  return async (ctx, caller) => {
    if (caller.kind === "guest") throw fail("session_required");
    const channel = await readableChannel(ctx, caller, { id });
    const place = await check(ctx, caller, channel);
    if (isIn && place === null && caller.kind === "user" && isOpen(channel)) throw fail("not_a_member");
  };
}

/**
 * Fast path for nearly every send: a member of a public channel, both cached. Synchronous; returns null when it does
 * not apply.
 */
function writableAtOnce(ctx: AppContext, caller: UserIdentity | AgentIdentity, ref: ChannelRef): Channel | null {
  if (caller.kind !== "user") return null;
  const channel = valueIfReady(findChannel(ctx, ref));
  if (channel == null || channel.isPrivate) return null;
  const place = valueIfReady(membership(ctx, channel.id, caller.userId));
  if (place == null) return null;
  checkSame(channel, ref);
  checkMayPost(ctx, caller, channel, place);
  return channel;
}

async function findWritable(ctx: AppContext, caller: UserIdentity | AgentIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await readableChannel(ctx, caller, ref);
  const place = await checkWritable(ctx, caller, channel);
  if (place === null) await enter(ctx, caller, channel, again(channel.id, checkWritable, false));
  return channel;
}

async function checkWritable(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
): Promise<Membership | null> {
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) await assertOutsiderMayEnter(ctx, caller, channel.id);
  checkMayPost(ctx, caller, channel, place);
  if (channel.direct !== null) await assertMayTalk(ctx, caller, channel);
  return place;
}

/** Rejects a non-member who is banned, or who was muted when they left. Errors: `banned`, `muted`. */
export async function assertOutsiderMayEnter(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channelId: number,
): Promise<void> {
  await assertNotBanned(ctx, caller, channelId);
  await assertNotMutedBefore(ctx, caller, channelId);
}

/**
 * Checks that the caller may post; an edit needs the same right. Errors: `agents_not_allowed`, `muted`, `post_policy`.
 */
export function checkMayPost(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  place: Membership | null,
): void {
  checkMayTakePart(ctx, caller, channel, place);
  if (channel.post_policy === "admins" && !isAdmin(place) && !hasLevel(caller, ADMINISTRATOR))
    throw fail("post_policy");
}

/**
 * Checks that the caller may react in a channel they may read, and joins them if it is open. The rules are those of
 * posting, except that everyone may react where only admins post. `mention_only` depends on the message and is checked
 * with it.
 * Errors: `banned`, `muted`, `agents_not_allowed`, `post_policy`, those of `assertMayTalk`.
 */
export async function enterToReact(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
): Promise<void> {
  const place = await checkMayReact(ctx, caller, channel);
  if (place === null) await enter(ctx, caller, channel, again(channel.id, checkMayReact, false));
  ctx.act?.remember(again(channel.id, checkMayReact, true), channel.id);
}

async function checkMayReact(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
): Promise<Membership | null> {
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) await assertOutsiderMayEnter(ctx, caller, channel.id);
  checkMayTakePart(ctx, caller, channel, place);
  if (channel.direct !== null) await assertMayTalk(ctx, caller, channel);
  return place;
}

/** Checks the conditions shared by posting and reacting. */
function checkMayTakePart(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  place: Membership | null,
): void {
  if (caller.kind === "agent" && channel.agent_policy === "deny") throw fail("agents_not_allowed");
  // Administrators may read a conversation (audited) but may not post in it.
  if (channel.direct !== null && place === null)
    throw fail("post_policy", { message: "Only the two in this conversation can post here." });
  assertNotMuted(ctx, place?.mutedUntil ?? null);
}

const isAdmin = (place: Membership | null): boolean => place?.role === "owner" || place?.role === "admin";

/**
 * Returns a channel this caller may manage: `owner` deletes and transfers it, `admin` changes settings and members,
 * `moderator` mutes and kicks. Site level 2 substitutes for all of them, level 1 for `moderator` (protocol §1). Nobody
 * can manage a direct conversation.
 * Errors: those of `readableChannel`, `session_required` (guests), `forbidden`.
 */
export async function manageableChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  need: Need,
): Promise<Channel> {
  const channel = await findManageable(ctx, caller, ref, need);
  ctx.act?.remember((ctx, caller) => findManageable(ctx, caller, { id: channel.id }, need), channel.id);
  return channel;
}

async function findManageable(ctx: AppContext, caller: Identity, ref: ChannelRef, need: Need): Promise<Channel> {
  if (caller.kind === "guest") throw fail("session_required");
  const channel = await readableChannel(ctx, caller, ref);
  if (channel.direct !== null) throw fail("forbidden", { message: "You can't change a direct conversation." });
  if (!mayManage(caller, await roleIn(ctx, caller, channel), need)) throw fail("forbidden");
  return channel;
}

/** Implements the rule of `manageableChannel` for a caller whose role is known. */
export function mayManage(caller: Identity, role: ChannelRole | null, need: Need): boolean {
  if (caller.kind !== "user") return false;
  if (hasLevel(caller, need === "moderator" ? MODERATOR : ADMINISTRATOR)) return true;
  return role === "owner" || (role === "admin" && need !== "owner");
}
