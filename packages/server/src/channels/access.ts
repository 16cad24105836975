import { refuseBlocked } from "../accounts/blocks.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../http/identity.ts";
import { atOnce } from "../soon.ts";
import { refuseBanned, refuseBannedUnderLock } from "./bans.ts";
import {
  agentAdded,
  type Channel,
  type ChannelRef,
  type ChannelRole,
  findChannel,
  isOpen,
  type Membership,
  membership,
  membershipChanged,
} from "./channel-cache.ts";
import { findMembership, insertMember } from "./members.store.ts";
import { refuseMuted, refuseMutedBefore } from "./mutes.ts";
import { pricedOut } from "./pricing.ts";
import { auditPrivateRead } from "./private-read.ts";

/** Site-wide levels (protocol §1). */
export const MODERATOR = 1;
export const ADMINISTRATOR = 2;

/** What a caller needs to be in a channel; the site's levels stand in for it from `moderator` and `admin` on. */
export type Need = "moderator" | "admin" | "owner";

/** The caller's place in the channel; null for guests and those who are not in it. */
export async function membershipOf(ctx: AppContext, caller: Identity, channel: Channel): Promise<Membership | null> {
  if (caller.kind === "user") return membership(ctx, channel.id, caller.userId);
  if (caller.kind === "agent") return agentAdded(ctx, channel.id, caller.agentId);
  return null;
}

/** The caller's role in the channel, as `my_role` shows it. */
export async function roleIn(ctx: AppContext, caller: Identity, channel: Channel): Promise<ChannelRole | null> {
  return (await membershipOf(ctx, caller, channel))?.role ?? null;
}

/** Has the caller this level, or a higher one, on the whole site? */
export function hasLevel(caller: Identity, level: number): boolean {
  return caller.kind === "user" && (caller.adminLevel ?? 0) >= level;
}

/**
 * Does who moderates with this role in the channel do it by his level on the site? That is an administrative act, and written down
 * (administration/audit.ts).
 */
export const isByLevel = (role: ChannelRole | null): boolean => role !== "owner" && role !== "admin";

/** The channel as it stands, whoever asks. Errors: `channel_id_required`, `channel_not_found`. */
export async function existingChannel(ctx: AppContext, ref: ChannelRef): Promise<Channel> {
  if (ref.id === undefined && ref.slug === undefined) throw fail("channel_id_required");
  const channel = await findChannel(ctx, ref);
  if (channel === null) throw fail("channel_not_found");
  return channel;
}

/**
 * A channel whose history this caller may read (protocol §1, §3). Administrators read private ones and those with a price
 * too, and that is written down. Errors: `session_required` (guests, when they may not read), `banned` (then, too), `channel_not_found`,
 * `password_required`, `payment_required`, `payments_not_configured`.
 */
export function readableChannel(ctx: AppContext, caller: Identity, ref: ChannelRef): Channel | Promise<Channel> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const channel = atOnce(findChannel(ctx, ref));
  if (channel == null || !isOpen(channel) || !ctx.config.guestRead)
    return findReadable(ctx, caller, ref).then((found) => checkSame(found, ref));
  return checkSame(channel, ref);
}

/**
 * A channel named by its id and by another one's slug. Asked once the caller may know of it: a hidden channel's slug must not show.
 * Errors: `invalid_request`.
 */
export function checkSame(channel: Channel, { id, slug }: ChannelRef): Channel {
  if (id !== undefined && slug !== undefined && slug !== channel.slug) throw contradiction();
  return channel;
}

/** What a request says of its channel, where `channel_id` takes a slug too. Errors: `invalid_request`. */
export function refOf({ channel_id, channel_slug }: NamedChannel): ChannelRef {
  const [id, slug] = [channel_id ?? undefined, channel_slug ?? undefined];
  if (typeof id !== "string") return { id, slug };
  if (slug !== undefined && slug !== id) throw contradiction();
  return { slug: id };
}

interface NamedChannel {
  channel_id?: number | string | null;
  channel_slug?: string | null;
}

const contradiction = () =>
  fail("invalid_request", {
    details: [{ path: "channel_slug", message: "is not of the channel that channel_id names" }],
  });

async function findReadable(ctx: AppContext, caller: Identity, ref: ChannelRef): Promise<Channel> {
  const channel = await existingChannel(ctx, ref);
  if (isOpen(channel)) {
    // Who is banned reads as a guest does (protocol §3); where guests may not, neither may he.
    if (!ctx.config.guestRead) await refuseBanned(ctx, caller, channel.id);
    return channel;
  }
  if ((await membershipOf(ctx, caller, channel)) !== null) return channel;
  if (caller.kind === "user" && hasLevel(caller, ADMINISTRATOR)) {
    await auditPrivateRead(ctx, caller, channel.id);
    return channel;
  }
  throw channel.isPrivate ? keptOut(channel) : await pricedOut(ctx, channel);
}

/** What an outsider of a private channel is told: one with a password is listed, an invitation-only one does not exist for him. */
export function keptOut(channel: Channel) {
  return fail(channel.hasPassword ? "password_required" : "channel_not_found");
}

/**
 * A channel this caller may post to now; a user who posts to a public channel joins it (protocol §1). `mention_only` and slow
 * mode depend on the message and are decided with it.
 * Errors: `channel_not_found`, `password_required`, `banned`, `muted`, `post_policy`, `agents_not_allowed`, `blocked`, `user_blocked`.
 */
export function writableChannel(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  ref: ChannelRef,
): Channel | Promise<Channel> {
  return writableAtOnce(ctx, caller, ref) ?? findWritable(ctx, caller, ref);
}

/** A member of a public channel, both in memory: what nearly every send is, decided without waiting for anything. */
function writableAtOnce(ctx: AppContext, caller: UserIdentity | AgentIdentity, ref: ChannelRef): Channel | null {
  if (caller.kind !== "user") return null;
  const channel = atOnce(findChannel(ctx, ref));
  if (channel == null || channel.isPrivate) return null;
  const place = atOnce(membership(ctx, channel.id, caller.userId));
  if (place == null) return null;
  checkSame(channel, ref);
  checkMayPost(ctx, caller, channel, place);
  return channel;
}

async function findWritable(ctx: AppContext, caller: UserIdentity | AgentIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await readableChannel(ctx, caller, ref);
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) await refuseOutsider(ctx, caller, channel.id);
  checkMayPost(ctx, caller, channel, place);
  if (channel.direct !== null) await refuseBlockedPeer(ctx, caller, channel);
  if (place === null) await enter(ctx, caller, channel);
  return channel;
}

/** Keeps from taking part who is not in the channel and banned, or was muted when he was. Errors: `banned`, `muted`. */
export async function refuseOutsider(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channelId: number,
): Promise<void> {
  await refuseBanned(ctx, caller, channelId);
  await refuseMutedBefore(ctx, caller, channelId);
}

/** Who may not post says nothing new by an edit either. Errors: `agents_not_allowed`, `muted`, `post_policy`. */
export function checkMayPost(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  place: Membership | null,
): void {
  checkMayTakePart(ctx, caller, channel, place);
  if (channel.postPolicy === "admins" && !isAdmin(place) && !hasLevel(caller, ADMINISTRATOR)) throw fail("post_policy");
}

/**
 * Lets the caller react in a channel he may read: as he may post, joining by it alike, except that where only admins post everyone still
 * reacts. `mention_only` depends on the message and is decided with it. Errors: `banned`, `muted`, `agents_not_allowed`, `post_policy`.
 */
export async function enterToReact(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
): Promise<void> {
  const place = await membershipOf(ctx, caller, channel);
  if (place === null) await refuseOutsider(ctx, caller, channel.id);
  checkMayTakePart(ctx, caller, channel, place);
  if (channel.direct !== null) await refuseBlockedPeer(ctx, caller, channel);
  if (place === null) await enter(ctx, caller, channel);
}

/** Ends a direct conversation while one of the two has blocked the other; both can still read it. Errors: those of `refuseBlocked`. */
export async function refuseBlockedPeer(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  { direct }: Channel,
): Promise<void> {
  if (caller.kind !== "user") return;
  const peer = direct?.find(({ userId }) => userId !== caller.userId);
  if (peer !== undefined) await refuseBlocked(ctx, caller, peer.userId);
}

/** Who takes part in an open channel joins it; one who was muted when he left still is. Errors: `banned`, `muted`. */
async function enter(ctx: AppContext, caller: UserIdentity | AgentIdentity, channel: Channel): Promise<void> {
  if (caller.kind !== "user" || !isOpen(channel)) return;
  // Together: who is refused has not joined by it.
  await transact(ctx, async (ctx) => {
    await becomeMember(ctx, channel.id, caller.userId);
    // From the database: what is in memory is of before.
    refuseMuted(ctx, (await findMembership(ctx.db, channel.id, caller.userId))?.mutedUntil ?? null);
  });
}

/** What bars from posting and reacting alike. */
function checkMayTakePart(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
  place: Membership | null,
): void {
  if (caller.kind === "agent" && channel.agentPolicy === "deny") throw fail("agents_not_allowed");
  // An administrator reads a conversation, on the record; he does not speak in it.
  if (channel.direct !== null && place === null)
    throw fail("post_policy", { message: "Only these two may post here." });
  refuseMuted(ctx, place?.mutedUntil ?? null);
}

const isAdmin = (place: Membership | null): boolean => place?.role === "owner" || place?.role === "admin";

/**
 * Makes the user a plain member; one who is in already stays what he is. Tells whether that changed anything. Holds the channel's row as
 * a ban does, so that of the two one comes first. Errors: `channel_not_found`, `banned`.
 */
export function becomeMember(ctx: AppContext, channelId: number, userId: number): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    await refuseBannedUnderLock(ctx, channelId, `u${userId}`);
    const joined = await insertMember(ctx.db, { channelId, userId, role: "member", joinedAt: ctx.clock.now() });
    if (joined) membershipChanged(ctx, channelId, `u${userId}`);
    return joined;
  });
}

/**
 * A channel this caller may run: `owner` deletes and hands over, `admin` changes settings and members, `moderator` mutes and kicks.
 * Level 2 stands in for all of them, level 1 for `moderator` (protocol §1). A direct conversation is nobody's to run.
 * Errors: those of `readableChannel`, `session_required` (guests), `forbidden`.
 */
export async function manageableChannel(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  need: Need,
): Promise<Channel> {
  if (caller.kind === "guest") throw fail("session_required");
  const channel = await readableChannel(ctx, caller, ref);
  if (channel.direct !== null) throw fail("forbidden", { message: "Nobody changes a direct conversation." });
  if (!mayManage(caller, await roleIn(ctx, caller, channel), need)) throw fail("forbidden");
  return channel;
}

/** The rule behind `manageableChannel`, for a caller whose role is known. */
export function mayManage(caller: Identity, role: ChannelRole | null, need: Need): boolean {
  if (caller.kind !== "user") return false;
  if (hasLevel(caller, need === "moderator" ? MODERATOR : ADMINISTRATOR)) return true;
  return role === "owner" || (role === "admin" && need !== "owner");
}
