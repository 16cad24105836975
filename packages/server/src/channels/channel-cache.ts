import type { LoadingCache } from "../base/loading-cache.ts";
import { type AppContext, perServer, usesMemory } from "../context.ts";
import type { MemberKey } from "../http/identity.ts";
import { publishControl } from "../realtime/control/control.ts";
import { rowCache } from "../realtime/control/row-cache.ts";
import type { Channel, ChannelRef, Membership } from "./channel.ts";
import { findChannelById, findChannelIdBySlug, holdChannel, oldestMessageIdOf } from "./channels.store.ts";
import { findAgentMembership, findMembership, memberCountOf, memberCountsOf } from "./members/members.store.ts";

const CHANNELS_KEPT = 10_000;
const MEMBERSHIPS_KEPT = 50_000;

interface Caches {
  channels: LoadingCache<number, Channel | null>;
  /** A cached id is trusted only if its channel still has that slug, so renames need no invalidation here. */
  slugs: LoadingCache<string, number | null>;
  /** Null for non-members. */
  members: LoadingCache<PlaceKey, Membership | null>;
  memberCounts: LoadingCache<number, number>;
  /** Empty channels are not kept: their first message is not announced to this cache. */
  oldestIds: LoadingCache<number, number | null>;
}

const caches = perServer(
  (ctx): Caches => ({
    channels: rowCache(ctx, CHANNELS_KEPT, { channel_changed: (kept, channelId) => kept.forget(channelId) }),
    slugs: rowCache(ctx, CHANNELS_KEPT, {}),
    members: placeCache(ctx, MEMBERSHIPS_KEPT),
    memberCounts: rowCache(ctx, CHANNELS_KEPT, {
      membership_changed: (kept, { channelId }) => kept.forget(channelId),
    }),
    oldestIds: rowCache(ctx, CHANNELS_KEPT, { channel_changed: (kept, channelId) => kept.forget(channelId) }),
  }),
);

/** Returns what is remembered, unless rights are decided again. */
const kept = <K extends {}, V>(ctx: AppContext, cache: LoadingCache<K, V>, key: K): V | undefined =>
  ctx.readsAnew === true ? undefined : cache.get(key);

/** Returns the channel, or null if it does not exist or is deleted. Synchronous on a cache hit. */
export function findChannel(ctx: AppContext, ref: ChannelRef): Channel | null | Promise<Channel | null> {
  if (ref.id !== undefined) return findById(ctx, ref.id);
  if (ref.slug === undefined) return null;
  const id = caches(ctx).slugs.get(ref.slug);
  const channel = typeof id === "number" ? kept(ctx, caches(ctx).channels, id) : undefined;
  return channel?.slug === ref.slug ? channel : findBySlug(ctx, ref.slug);
}

function findById(ctx: AppContext, id: number): Channel | null | Promise<Channel | null> {
  const { channels } = caches(ctx);
  const channel = kept(ctx, channels, id);
  if (channel !== undefined) return channel;
  if (ctx.readsAnew === true) return holdChannel(ctx.db, id);
  if (!usesMemory(ctx)) return findChannelById(ctx.db, id);
  return channels.load(id, () => findChannelById(ctx.db, id), isFound);
}

async function findBySlug(ctx: AppContext, slug: string): Promise<Channel | null> {
  const { slugs } = caches(ctx);
  if (!usesMemory(ctx)) {
    const id = await findChannelIdBySlug(ctx.db, slug);
    return id === null ? null : findChannelById(ctx.db, id);
  }
  if (slugs.get(slug) !== undefined) slugs.forget(slug);
  const id = await slugs.load(slug, () => findChannelIdBySlug(ctx.db, slug), isFound);
  const channel = id === null ? null : await findById(ctx, id);
  // Renamed between the two reads: the slug is free, or the next lookup finds its new channel.
  return channel?.slug === slug ? channel : null;
}

/** Missing names are not cached: requests for many of them must not evict existing channels. */
const isFound = (value: unknown): boolean => value !== null;

/** Returns the user's membership in the channel, or null. Synchronous on a cache hit. */
export function membership(
  ctx: AppContext,
  channelId: number,
  userId: number,
): Membership | null | Promise<Membership | null> {
  const key: PlaceKey = `${channelId}:u${userId}`;
  const { members } = caches(ctx);
  const found = kept(ctx, members, key);
  if (found !== undefined) return found;
  if (!usesMemory(ctx)) return findMembership(ctx.db, channelId, userId, ctx.readsAnew);
  return members.load(key, () => findMembership(ctx.db, channelId, userId));
}

/**
 * Returns the agent's membership if it was added to the channel, else null. Its role is always `member`. Synchronous on
 * a cache hit.
 */
export function agentAdded(
  ctx: AppContext,
  channelId: number,
  agentId: number,
): Membership | null | Promise<Membership | null> {
  const key: PlaceKey = `${channelId}:a${agentId}`;
  const { members } = caches(ctx);
  const found = kept(ctx, members, key);
  if (found !== undefined) return found;
  if (!usesMemory(ctx)) return findAgentMembership(ctx.db, channelId, agentId, ctx.readsAnew);
  return members.load(key, () => findAgentMembership(ctx.db, channelId, agentId));
}

/** Returns how many users and added agents the channel has. Synchronous on a cache hit. */
export function memberCount(ctx: AppContext, channelId: number): number | Promise<number> {
  const { memberCounts } = caches(ctx);
  const found = memberCounts.get(channelId);
  if (found !== undefined) return found;
  if (!usesMemory(ctx)) return memberCountOf(ctx.db, channelId);
  return memberCounts.load(channelId, () => memberCountOf(ctx.db, channelId));
}

/** Returns the counts of several channels, in their order. Those that are not cached take one query together. */
export async function memberCounts(ctx: AppContext, channelIds: readonly number[]): Promise<number[]> {
  const { memberCounts } = caches(ctx);
  if (!usesMemory(ctx)) {
    const read = await memberCountsOf(ctx.db, channelIds);
    return channelIds.map((id) => read.get(id) ?? 0);
  }
  const missing = channelIds.filter((id) => memberCounts.get(id) === undefined);
  let reading: Promise<Map<number, number>> | undefined;
  // Not begun before it is needed: another call may be loading all of them.
  const read = async (id: number) => {
    reading ??= memberCountsOf(ctx.db, missing);
    return (await reading).get(id) ?? 0;
  };
  return Promise.all(channelIds.map((id) => memberCounts.get(id) ?? memberCounts.load(id, () => read(id))));
}

/** Returns the id of the channel's oldest message, or null. Synchronous on a cache hit. */
export function oldestMessageId(ctx: AppContext, channelId: number): number | null | Promise<number | null> {
  const { oldestIds } = caches(ctx);
  const found = oldestIds.get(channelId);
  if (found !== undefined) return found;
  if (!usesMemory(ctx)) return oldestMessageIdOf(ctx.db, channelId);
  return oldestIds.load(channelId, () => oldestMessageIdOf(ctx.db, channelId), isFound);
}

/** Whether the change takes a right away: then it is answered when all nodes have heard of it. */
interface Weight {
  isRevocation?: boolean;
}

/** Invalidates a changed channel after the commit: here at once, on the other nodes shortly after. */
export function channelChanged(ctx: AppContext, channelId: number, weight?: Weight): void {
  const forget = () => {
    const { channels, oldestIds } = caches(ctx.root);
    channels.forget(channelId);
    oldestIds.forget(channelId);
  };
  ctx.afterCommit(forget, forget);
  publishControl(ctx, "channel_changed", channelId, weight);
}

/** Invalidates a changed membership after the commit: here at once, on the other nodes shortly after. */
export function membershipChanged(ctx: AppContext, channelId: number, member: MemberKey, weight?: Weight): void {
  const forget = () => {
    const { members, memberCounts } = caches(ctx.root);
    members.forget(`${channelId}:${member}`);
    memberCounts.forget(channelId);
  };
  ctx.afterCommit(forget, forget);
  publishControl(ctx, "membership_changed", { channelId, member }, weight);
}

/** A channel and a user or agent, who need not be a member: `<channel id>:<member key>`. */
export type PlaceKey = `${number}:${MemberKey}`;

/**
 * Returns a cache of what is known of places in channels. Changes of a membership, of a ban and of a kept mute are
 * announced by all nodes as `membership_changed`, which invalidates the entry. The entries of a deleted channel go with
 * it: otherwise they would stay until 50,000 newer ones had come.
 */
export const placeCache = <V>(ctx: AppContext, max: number): LoadingCache<PlaceKey, V> =>
  rowCache<PlaceKey, V>(ctx, max, {
    membership_changed: (kept, { channelId, member }) => kept.forget(`${channelId}:${member}`),
    channel_deleted: (kept, channelId) => kept.forgetWhere((key) => key.startsWith(`${channelId}:`)),
  });
