import type { UpdateMemberBody } from "@parley/protocol/channels";
import type { Member, OnlineUser } from "@parley/protocol/models";
import { assertNotBlocked } from "../../accounts/blocks/blocks.ts";
import { notify } from "../../accounts/notices.ts";
import { audit } from "../../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { type Identity, memberKey, type UserIdentity } from "../../http/identity.ts";
import { type OffsetPage, type OffsetQuery, pageByOffset } from "../../http/pages.ts";
import { onlineUsers } from "../../realtime/presence/user-list.ts";
import { isByLevel, manageableChannel, mayManage, readableChannel } from "../access/access.ts";
import { heldRole, mayActOn } from "../access/ranks.ts";
import { banUnderLock } from "../bans/bans.ts";
import { type Channel, type ChannelRef, type ChannelRole, isOpen } from "../channel.ts";
import { membershipChanged } from "../channel-cache.ts";
import { lockChannel } from "../channels.store.ts";
import { findKeptMute } from "./kept-mutes.store.ts";
import { listMembers } from "./member-list.store.ts";
import {
  type Actor,
  adminLevelOf,
  findActor,
  findMember,
  insertAgent,
  insertMember,
  type MemberPatch,
  type MemberRow,
  memberCountOf,
  muteAgent,
  updateMember,
} from "./members.store.ts";
import { publishPlace } from "./notify-members.ts";
import { actorsNamed, expel, onAgentAdded } from "./removal.ts";

const MEMBERS = 200;

/** Converts a member to its wire form. */
export function memberRecord(row: MemberRow): Member {
  return {
    kind: row.kind,
    name: row.name,
    role: row.role,
    muted_until: isoTimeOrNull(row.muted_until),
    joined_at: isoTime(row.joined_at),
  };
}

/** Lists the channel's members, for callers who may read it. Errors: those of `readableChannel`. */
export async function membersOf(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  query: OffsetQuery,
): Promise<OffsetPage & { members: Member[]; channel_id: number }> {
  const { id } = await readableChannel(ctx, caller, ref);
  const { shown, ...rest } = await pageByOffset(query, (page) => listMembers(ctx.db, id, page));
  return { members: shown.map(memberRecord), channel_id: id, ...rest };
}

/** Lists who is online in the channel, for callers who may read it. Errors: those of `readableChannel`. */
export async function onlineIn(
  ctx: AppContext,
  caller: Identity,
  ref: ChannelRef,
  query: OffsetQuery,
): Promise<OffsetPage & { count: number; guest_count: number; users: OnlineUser[]; channel_id: number }> {
  const { id } = await readableChannel(ctx, caller, ref);
  const find = ({ limit, offset }: { limit: number; offset: number }) => onlineUsers(ctx, id, limit, offset);
  const { shown, ...rest } = await pageByOffset(query, find);
  const [online] = await ctx.presence.counts([id]);
  return { count: online?.count ?? 0, guest_count: online?.guests ?? 0, users: shown, channel_id: id, ...rest };
}

/**
 * Changes a user's or agent's place in a channel, or adds them. `muted_until` mutes (null or a past time unmutes) and
 * does not add a user by itself. Only the owner changes `role`. Only admins add members to a private channel.
 * Idempotent.
 * Errors: those of `manageableChannel`, `invalid_request`, `user_not_found` (no user or agent of that name),
 * `forbidden`, `member_not_found` (a mere mute of a non-member), `member_banned` (lift the ban first), those of
 * `assertNotBlocked`.
 */
export async function updateMembership(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  name: string,
  input: UpdateMemberBody,
): Promise<{ channel: Channel; member: Member }> {
  const mutedUntil = input.muted_until === undefined ? undefined : muteEnd(ctx, input.muted_until);
  const channel = await manageableChannel(ctx, caller, ref, "moderator");
  const callersRole = await heldRole(ctx, caller, channel);
  const member = await transact(ctx, async (ctx) => {
    const target = await findActor(ctx.db, name);
    if (target === null) throw fail("user_not_found");
    // A transfer takes the same lock, so that nobody demotes a new owner.
    if (!(await lockChannel(ctx.db, channel.id))) throw fail("channel_not_found");
    const before = await findMember(ctx.db, channel.id, target);
    const muteesLevel = (mutedUntil ?? null) === null ? null : await adminLevelOf(ctx.db, target);
    checkMayChange(caller, callersRole, channel, { before, role: input.role, target, muteesLevel });
    if (before === null) {
      const isMuted = await wasMuted(ctx, channel, target);
      if (!letsIn(channel, target, { role: input.role, mutedUntil, isMuted })) throw fail("member_not_found");
      await admit(ctx, caller, channel, target);
    }
    await changePlace(ctx, channel, target, { role: input.role, mutedUntil });
    const isNew = before === null || (input.role !== undefined && input.role !== before.role);
    if (isNew && target.kind === "user") await publishPlace(ctx, channel.id, target.id);
    if (target.kind === "user") await notifyOfChange(ctx, caller, channel, { before, target, mutedUntil, ...input });
    // A mute, or a lower role.
    membershipChanged(ctx, channel.id, memberKey(target), { isRevocation: true });
    if (isByLevel(callersRole)) {
      await audit(ctx, caller, "member_update", `channel:${channel.id}`, { member: target.name, ...input });
    }
    const after = await findMember(ctx.db, channel.id, target);
    if (after === null) throw fail("member_not_found");
    return after;
  });
  return { channel, member: memberRecord(member) };
}

function muteEnd(ctx: AppContext, text: string | null): number | null {
  if (text === null) return null;
  const end = Date.parse(text);
  if (Number.isNaN(end))
    throw fail("invalid_request", { details: [{ path: "muted_until", message: "must be a valid time" }] });
  return end > ctx.clock.now() ? end : null;
}

interface Change {
  before: MemberRow | null;
  role: ChannelRole | undefined;
  target: Actor;
  /** The target's site level if they are to be muted; else null. */
  muteesLevel: number | null;
}

function checkMayChange(caller: UserIdentity, callersRole: ChannelRole | null, channel: Channel, change: Change): void {
  const { before, role, target, muteesLevel } = change;
  if (target.kind === "agent" && role === "admin") {
    throw fail("invalid_request", { details: [{ path: "role", message: "agents can only be plain members" }] });
  }
  const promotes = role !== undefined && role !== (before?.role ?? "member");
  const lets = before === null && !isOpen(channel);
  if (promotes && !mayManage(caller, callersRole, "owner")) throw fail("forbidden");
  if (lets && !mayManage(caller, callersRole, "admin")) throw fail("forbidden");
  if (!mayActOn(caller, callersRole, before?.role ?? null, muteesLevel)) throw fail("forbidden");
  // The owner's role moves only with the channel: PUT /api/channels/:channel_id {owner_username}.
  if (promotes && before?.role === "owner") throw fail("forbidden");
}

/**
 * True if the change adds a non-member. A mute alone does not, with one exception: agents take part in an open channel
 * without being members, so muting them, or ending a stored mute, needs a membership.
 */
function letsIn(
  channel: Channel,
  target: Actor,
  given: { role: ChannelRole | undefined; mutedUntil: number | null | undefined; isMuted: boolean },
): boolean {
  const isMuteOnly = given.role === undefined && given.mutedUntil !== undefined;
  const isOfMute = given.mutedUntil !== null || given.isMuted;
  return !isMuteOnly || (target.kind === "agent" && isOpen(channel) && isOfMute);
}

async function wasMuted(ctx: AppContext, channel: Channel, target: Actor): Promise<boolean> {
  return ((await findKeptMute(ctx.db, channel.id, memberKey(target))) ?? 0) > ctx.clock.now();
}

async function admit(ctx: AppContext, caller: UserIdentity, channel: Channel, target: Actor): Promise<void> {
  if ((await banUnderLock(ctx, channel.id, memberKey(target))) !== null) throw fail("member_banned");
  // A private channel with two members amounts to a direct conversation.
  if (target.kind === "user" && target.id !== caller.userId) await assertNotBlocked(ctx, caller, target.id);
  const joinedAt = ctx.clock.now();
  if (target.kind === "user") {
    await insertMember(ctx.db, { channelId: channel.id, userId: target.id, role: "member", joinedAt });
  } else {
    await insertAgent(ctx.db, { channelId: channel.id, agentId: target.id, addedBy: caller.userId, joinedAt });
    for (const listener of onAgentAdded.of(ctx)) await listener(ctx, { agentId: target.id, channel });
  }
}

async function changePlace(
  ctx: AppContext,
  channel: Channel,
  target: Actor,
  change: { role: ChannelRole | undefined; mutedUntil: number | null | undefined },
): Promise<void> {
  if (target.kind === "agent") {
    if (change.mutedUntil !== undefined) await muteAgent(ctx.db, channel.id, target.id, change.mutedUntil);
    return;
  }
  const patch: MemberPatch = {};
  if (change.role !== undefined) patch.role = change.role;
  if (change.mutedUntil !== undefined) patch.muted_until = change.mutedUntil;
  if (Object.keys(patch).length > 0) await updateMember(ctx.db, channel.id, target.id, patch);
}

/** Tells a user of their new role, and of a mute. */
async function notifyOfChange(
  ctx: AppContext,
  by: UserIdentity,
  channel: Channel,
  change: { before: MemberRow | null; target: Actor; role?: ChannelRole; mutedUntil: number | null | undefined },
): Promise<void> {
  const { before, target, role, mutedUntil } = change;
  if (role !== undefined && role !== (before?.role ?? "member"))
    await notify(ctx, target.id, { code: "role_changed", channel, detail: role, by });
  if (mutedUntil !== undefined && mutedUntil !== null && mutedUntil !== before?.muted_until)
    await notify(ctx, target.id, { code: "muted", channel, detail: isoTime(mutedUntil), by });
}

/**
 * Kicks a user or agent: removes the membership and stops the channel's events at once. They may rejoin a public
 * channel.
 * Errors: those of `manageableChannel`, `member_not_found`, `forbidden`, `owner_cannot_leave`.
 */
export async function removeMember(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  name: string,
): Promise<{ channel: Channel; name: string }> {
  const channel = await manageableChannel(ctx, caller, ref, "moderator");
  const callersRole = await heldRole(ctx, caller, channel);
  const removed = await transact(ctx, async (ctx) => {
    if (!(await lockChannel(ctx.db, channel.id))) throw fail("channel_not_found");
    const targets = await actorsNamed(ctx, channel, name);
    for (const target of targets) {
      const place = await findMember(ctx.db, channel.id, target);
      if (place === null && !(await ctx.presence.has(channel.id, target.kind, target.id)))
        throw fail("member_not_found");
      if (!mayActOn(caller, callersRole, place?.role ?? null, await adminLevelOf(ctx.db, target))) {
        throw fail("forbidden");
      }
      if (place?.role === "owner") throw fail("owner_cannot_leave");
      await expel(ctx, channel, target, "kicked");
      if (target.kind === "user" && place !== null)
        await notify(ctx, target.id, { code: "removed", channel, by: caller });
    }
    const [first] = targets;
    if (first === undefined) throw fail("member_not_found");
    if (isByLevel(callersRole)) {
      await audit(ctx, caller, "member_kick", `channel:${channel.id}`, { member: first.name });
    }
    return first;
  });
  return { channel, name: removed.name };
}

/** Returns all members as JSON records, in pages. */
export async function* memberPages(ctx: AppContext, channel: Channel): AsyncGenerator<string[]> {
  for (let offset = 0; ; offset += MEMBERS) {
    const rows = await listMembers(ctx.db, channel.id, { limit: MEMBERS, offset });
    yield rows.map((row) => JSON.stringify(memberRecord(row)));
    if (rows.length < MEMBERS) return;
  }
}

/** Returns how many users and agents are members. */
export const memberCount = (ctx: AppContext, channel: Channel): Promise<number> => memberCountOf(ctx.db, channel.id);
