import type { Ban, BanBody } from "@parley/protocol/moderation";
import { PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import { notify } from "../../accounts/notices.ts";
import { audit } from "../../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import { optionalText } from "../../base/visible-text.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { memberKey, type UserIdentity } from "../../http/identity.ts";
import { type OffsetQuery, pageByOffset } from "../../http/pages.ts";
import { isByLevel, manageableChannel } from "../access/access.ts";
import { heldRole, mayActOn } from "../access/ranks.ts";
import type { Channel, ChannelRef, ChannelRole } from "../channel.ts";
import { membershipChanged } from "../channel-cache.ts";
import { lockChannel } from "../channels.store.ts";
import { type Actor, adminLevelOf, findActor, findAgent, findMember } from "../members/members.store.ts";
import { actorsNamed, expel, isSharedName } from "../members/removal.ts";
import { type BanRow, deleteBan, findBan, findBanRow, listBans, namelessBanned, putBan } from "./bans.store.ts";
import { isInForce } from "./bans.ts";

/** The result of a ban. */
export interface Banned {
  channel: Channel;
  ban: Ban;
  /** False if the target was already banned and this ban replaced the earlier one. */
  created: boolean;
}

/**
 * Bans a user or agent, member or not: removes the membership, logs the agent out, stops the channel's events at once
 * and refuses entry until the ban expires or is lifted. The target must rank below the caller. The shared name
 * `PlatformAgent` means every agent in the channel without a name of its own.
 * Errors: those of `manageableChannel`, `invalid_request`, `user_not_found`, `agent_not_found`, `forbidden`,
 * `owner_cannot_leave`.
 */
export async function ban(ctx: AppContext, caller: UserIdentity, ref: ChannelRef, input: BanBody): Promise<Banned> {
  checkTarget(input);
  const until = banEnd(ctx, input.until ?? null);
  const channel = await manageableChannel(ctx, caller, ref, "moderator");
  const callersRole = await heldRole(ctx, caller, channel);
  return transact(ctx, async (ctx) => {
    // Joins lock the same row, so nobody can join concurrently with their ban.
    if (!(await lockChannel(ctx.db, channel.id))) throw fail("channel_not_found");
    const [first, ...others] = await targetsOf(ctx, channel, input);
    if (first === undefined) throw fail(input.username === undefined ? "agent_not_found" : "user_not_found");
    const terms = { until, reason: optionalText(input.reason)?.trim() ?? null };
    const banned = await banOne(ctx, caller, callersRole, channel, first, terms);
    for (const other of others) await banOne(ctx, caller, callersRole, channel, other, terms);
    if (isByLevel(callersRole)) {
      await audit(ctx, caller, "member_ban", `channel:${channel.id}`, {
        member: first.name,
        until: banned.ban.until,
        reason: banned.ban.reason,
      });
    }
    return { channel, ...banned };
  });
}

function checkTarget({ username, agent_name, agent_id }: BanBody): void {
  if ([username, agent_name, agent_id].filter((given) => given !== undefined).length === 1) return;
  const message = "send exactly one of username, agent_name and agent_id";
  throw fail("invalid_request", { details: [{ path: "", message }] });
}

function banEnd(ctx: AppContext, text: string | null): number | null {
  if (text === null) return null;
  const end = Date.parse(text);
  if (end > ctx.clock.now()) return end;
  throw fail("invalid_request", { details: [{ path: "until", message: "must be a time in the future" }] });
}

async function targetsOf(ctx: AppContext, channel: Channel, input: BanBody): Promise<Actor[]> {
  if (input.agent_id !== undefined) {
    const found = await findAgent(ctx.db, input.agent_id);
    return found === null ? [] : [{ ...found, name: found.name ?? PLATFORM_AGENT }];
  }
  const kind = input.username === undefined ? "agent" : "user";
  const named = await actorsNamed(ctx, channel, input.username ?? input.agent_name ?? "");
  return named.filter((actor) => actor.kind === kind);
}

async function banOne(
  ctx: AppContext,
  caller: UserIdentity,
  callersRole: ChannelRole | null,
  channel: Channel,
  target: Actor,
  terms: { until: number | null; reason: string | null },
): Promise<{ ban: Ban; created: boolean }> {
  const place = await findMember(ctx.db, channel.id, target);
  const level = await adminLevelOf(ctx.db, target);
  if (!mayActOn(caller, callersRole, place?.role ?? null, level)) throw fail("forbidden");
  if (place?.role === "owner") throw fail("owner_cannot_leave");
  const before = await findBan(ctx.db, channel.id, memberKey(target));
  await putBan(ctx.db, {
    channel_id: channel.id,
    member_key: memberKey(target),
    user_id: target.kind === "user" ? target.id : null,
    agent_id: target.kind === "agent" ? target.id : null,
    banned_by: caller.username,
    ...terms,
    created_at: ctx.clock.now(),
  });
  await expel(ctx, channel, target, "banned");
  // Strangers cannot call somebody by banning them from channels that they have never entered.
  if (target.kind === "user" && place !== null) {
    const detail = isoTimeOrNull(terms.until);
    await notify(ctx, target.id, { code: "banned", channel, detail, by: caller });
  }
  const row = await findBanRow(ctx.db, channel.id, memberKey(target));
  if (row === null) throw new Error("a ban that was just stored is missing");
  return { ban: banRecord(row), created: !isInForce(ctx, before) };
}

function banRecord(row: BanRow): Ban {
  return {
    kind: row.agent_id === null ? "user" : "agent",
    name: row.name ?? PLATFORM_AGENT,
    agent_id: row.agent_id,
    banned_by: row.banned_by,
    reason: row.reason,
    until: isoTimeOrNull(row.until),
    created_at: isoTime(row.created_at),
  };
}

/** Returns the active bans, for callers who may ban. Errors: those of `manageableChannel`. */
export async function bansOf(ctx: AppContext, caller: UserIdentity, ref: ChannelRef, query: OffsetQuery) {
  const { id } = await manageableChannel(ctx, caller, ref, "moderator");
  const now = ctx.clock.now();
  const { shown, ...rest } = await pageByOffset(query, (page) => listBans(ctx.db, id, now, page));
  return { channel_id: id, bans: shown.map(banRecord), ...rest };
}

/**
 * Lifts a ban without restoring the membership. The shared name lifts the bans of agents without a name of their own.
 * Errors: those of `manageableChannel`, `ban_not_found`.
 */
export async function liftBan(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  name: string,
): Promise<{ channel: Channel; name: string }> {
  const channel = await manageableChannel(ctx, caller, ref, "moderator");
  const callersRole = await heldRole(ctx, caller, channel);
  return transact(ctx, async (ctx) => {
    const [first, ...others] = await bannedNamed(ctx, channel, name);
    if (first === undefined) throw fail("ban_not_found");
    const before = await findBan(ctx.db, channel.id, memberKey(first));
    if (!isInForce(ctx, before)) throw fail("ban_not_found");
    for (const target of [first, ...others]) {
      await deleteBan(ctx.db, channel.id, memberKey(target));
      membershipChanged(ctx, channel.id, memberKey(target));
    }
    if (isByLevel(callersRole))
      await audit(ctx, caller, "member_unban", `channel:${channel.id}`, { member: first.name });
    return { channel, name: first.name };
  });
}

async function bannedNamed(ctx: AppContext, channel: Channel, name: string): Promise<Actor[]> {
  const actor = await findActor(ctx.db, name);
  if (actor !== null) return [actor];
  if (!isSharedName(name)) return [];
  return (await namelessBanned(ctx.db, channel.id)).map((id) => ({ kind: "agent", id, name: PLATFORM_AGENT }));
}
