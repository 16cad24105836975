import { isoTimeOrNull } from "../../base/iso-time.ts";
import { type AppContext, perServer } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import type { Identity, MemberKey } from "../../http/identity.ts";
import { rowOf } from "../../realtime/control/row-cache.ts";
import { placeCache } from "../channel-cache.ts";
import { lockChannel } from "../channels.store.ts";
import { type ActiveBan, findBan } from "./bans.store.ts";

const BANS_KEPT = 50_000;

/** Null for actors without a ban. Banning and lifting change the membership. */
const bans = perServer((ctx) => placeCache<ActiveBan | null>(ctx, BANS_KEPT));

/**
 * Rejects a banned caller. Members are never banned, so only the entry points call this: joining, becoming a member by
 * acting, and agents, which act in public channels without being members. Uses the cache outside transactions.
 * Errors: `banned`, with `until` in its details.
 */
export function assertNotBanned(ctx: AppContext, caller: Identity, channelId: number): void | Promise<void> {
  if (caller.kind === "guest") return;
  const found = keptBan(ctx, channelId, caller.key);
  if (found instanceof Promise) return found.then((ban) => refuse(ctx, ban));
  refuse(ctx, found);
}

/** True if the user is banned now. Uses the cache. */
export async function isBanned(ctx: AppContext, caller: Identity, channelId: number): Promise<boolean> {
  return caller.kind === "user" && isInForce(ctx, await keptBan(ctx, channelId, caller.key));
}

const keptBan = (ctx: AppContext, channelId: number, member: MemberKey): ActiveBan | null | Promise<ActiveBan | null> =>
  rowOf(ctx, bans(ctx), `${channelId}:${member}`, (db) => findBan(db, channelId, member));

function refuse(ctx: AppContext, ban: ActiveBan | null): void {
  if (isInForce(ctx, ban)) throw bannedError(ban);
}

/**
 * Locks the channel's row, then returns the active ban, if any. Call this in every transaction that adds a member: a
 * ban locks the same row, so the two are serialized. Errors: `channel_not_found`.
 */
export async function banUnderLock(ctx: AppContext, channelId: number, member: MemberKey): Promise<ActiveBan | null> {
  if (!(await lockChannel(ctx.db, channelId))) throw fail("channel_not_found");
  const ban = await findBan(ctx.db, channelId, member);
  return isInForce(ctx, ban) ? ban : null;
}

/** The final ban check before a caller joins on their own. Errors: `channel_not_found`, `banned`. */
export async function assertNotBannedUnderLock(ctx: AppContext, channelId: number, member: MemberKey): Promise<void> {
  refuse(ctx, await banUnderLock(ctx, channelId, member));
}

/** True if the ban is active. */
export function isInForce(ctx: AppContext, ban: ActiveBan | null): ban is ActiveBan {
  return ban !== null && (ban.until === null || ban.until > ctx.clock.now());
}

function bannedError({ until }: ActiveBan): AppError {
  return fail("banned", { details: { until: isoTimeOrNull(until) } });
}
