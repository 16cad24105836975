import { type AppContext, perServer } from "../context.ts";
import { type AppError, fail } from "../errors.ts";
import type { Identity, MemberKey } from "../http/identity.ts";
import { onControl } from "../realtime/control.ts";
import { type ActiveBan, findBan } from "./bans.store.ts";
import { holdChannel } from "./channels.store.ts";
import { LoadingCache } from "./loading-cache.ts";

const BANS_KEPT = 50_000;

/** By `<channel id>:<member key>`; null for those who are not banned. A ban and its end change the membership, which is announced. */
const bans = perServer((ctx) => {
  const kept = new LoadingCache<string, ActiveBan | null>(BANS_KEPT);
  onControl(ctx, "membership_changed", (subject) => kept.forget(subject));
  return kept;
});

/**
 * Keeps a banned one from taking part. Members are never banned, so only the ways in ask this: joining, becoming a member by acting, and
 * agents, who act in public channels without being members. Answered from memory where it can be. Errors: `banned`, with `until` in its
 * details.
 */
export function refuseBanned(ctx: AppContext, caller: Identity, channelId: number): void | Promise<void> {
  if (caller.kind === "guest") return;
  const found = ctx === ctx.root ? keptBan(ctx, channelId, caller.key) : findBan(ctx.db, channelId, caller.key);
  if (found instanceof Promise) return found.then((ban) => refuse(ctx, ban));
  refuse(ctx, found);
}

/** Is the user kept from taking part now? Answered from memory where it can be. */
export async function isBanned(ctx: AppContext, caller: Identity, channelId: number): Promise<boolean> {
  return caller.kind === "user" && isInForce(ctx, await keptBan(ctx, channelId, caller.key));
}

function keptBan(ctx: AppContext, channelId: number, member: MemberKey): ActiveBan | null | Promise<ActiveBan | null> {
  const key = `${channelId}:${member}`;
  const found = bans(ctx).get(key);
  return found === undefined ? bans(ctx).load(key, () => findBan(ctx.db, channelId, member)) : found;
}

function refuse(ctx: AppContext, ban: ActiveBan | null): void {
  if (isInForce(ctx, ban)) throw bannedError(ban);
}

/**
 * Holds the channel's row, then looks for a ban in force: whoever makes a member asks this in the transaction that does, and a ban holds
 * the same row, so that of the two one comes first. Errors: `channel_not_found`.
 */
export async function banUnderLock(ctx: AppContext, channelId: number, member: MemberKey): Promise<ActiveBan | null> {
  if (!(await holdChannel(ctx.db, channelId))) throw fail("channel_not_found");
  const ban = await findBan(ctx.db, channelId, member);
  return isInForce(ctx, ban) ? ban : null;
}

/** The last look before somebody lets himself in. Errors: `channel_not_found`, `banned`. */
export async function refuseBannedUnderLock(ctx: AppContext, channelId: number, member: MemberKey): Promise<void> {
  refuse(ctx, await banUnderLock(ctx, channelId, member));
}

/** Does the ban still count? */
export function isInForce(ctx: AppContext, ban: ActiveBan | null): ban is ActiveBan {
  return ban !== null && (ban.until === null || ban.until > ctx.clock.now());
}

function bannedError({ until }: ActiveBan): AppError {
  return fail("banned", { details: { until: until === null ? null : new Date(until).toISOString() } });
}
