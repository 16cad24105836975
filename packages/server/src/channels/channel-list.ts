import type { ListChannelsQuery, ListChannelsResponse } from "@parley/protocol/channels";
import { PAGE_MAX } from "@parley/protocol/limits";
import type { Channel } from "@parley/protocol/models";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { channelsInScope } from "../http/key-scopes.ts";
import { rateLimited, takeGeneral } from "../http/rates.ts";
import { memberCounts } from "./channel-cache.ts";
import { recordOf } from "./channel-json.ts";
import { type ListViewer, listChannels, otherChannelIds, ownChannelIds } from "./channel-list.store.ts";
import { findChannelIdBySlug } from "./channels.store.ts";

/** The channels of one page, and the cursors for the next. */
type Page = Pick<ListChannelsResponse, "has_more" | "next_after_id" | "next_offset"> & { ids: number[] };

/**
 * Returns a page of the channels the caller can find (protocol §3). The first page has all of the caller's own
 * channels, which do not count against `limit`, and others by id; later pages have only others.
 * Errors: `session_required` (guests, when guests may not read), `rate_limited`.
 */
export async function visibleChannels(
  ctx: AppContext,
  caller: Identity,
  query: ListChannelsQuery,
): Promise<Omit<ListChannelsResponse, "success">> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const limit = Math.min(query.limit ?? PAGE_MAX, PAGE_MAX);
  const viewer = viewerOf(caller);
  const { ids, ...rest } = await pageOf(ctx, viewer, query, limit);
  await chargeFor(ctx, caller, ids.length);
  return { channels: await recordsOf(ctx, viewer, ids), ...rest, limit };
}

/**
 * Charges a long list of own channels as the number of requests that full pages would take: 5,000 channels take 0.1 s.
 * Errors: `rate_limited`.
 */
async function chargeFor(ctx: AppContext, caller: Identity, channels: number): Promise<void> {
  // Guests have no channels of their own, and only those make a page longer.
  if (caller.kind === "guest") return;
  // The request itself was already charged; it covers one page of own channels and one of others.
  for (let left = channels - 2 * PAGE_MAX; left > 0; left -= PAGE_MAX) {
    const decision = await takeGeneral(ctx, caller, caller.key);
    if (!decision.allowed) throw rateLimited(decision);
  }
}

function viewerOf(caller: Identity): ListViewer {
  if (caller.kind === "user") return { userId: caller.userId };
  if (caller.kind === "guest") return {};
  const scope = channelsInScope(caller);
  return { agentId: caller.agentId, ...(scope === null ? {} : { only: [...scope] }) };
}

async function pageOf(ctx: AppContext, viewer: ListViewer, query: ListChannelsQuery, limit: number): Promise<Page> {
  if (query.channel_slug !== undefined) {
    const id = await findChannelIdBySlug(ctx.db, query.channel_slug.toLowerCase());
    return { ids: id === null ? [] : [id], has_more: false, next_after_id: null, next_offset: null };
  }
  if (query.after_id !== undefined) return pageAfter(ctx, viewer, query.after_id, limit);
  const own = await ownChannelIds(ctx.db, viewer);
  return query.offset === undefined
    ? firstPage(ctx, viewer, own, limit)
    : pageByOffset(ctx, viewer, own, query.offset, limit);
}

async function pageAfter(ctx: AppContext, viewer: ListViewer, afterId: number, limit: number): Promise<Page> {
  const found = await otherChannelIds(ctx.db, viewer, { afterId, limit: limit + 1, offset: 0 });
  const ids = found.slice(0, limit);
  const has_more = found.length > limit;
  return { ids, has_more, next_after_id: has_more ? (ids.at(-1) ?? null) : null, next_offset: null };
}

async function firstPage(ctx: AppContext, viewer: ListViewer, own: number[], limit: number): Promise<Page> {
  const others = await pageAfter(ctx, viewer, 0, limit);
  const ids = [...own, ...others.ids];
  return { ...others, ids, next_offset: others.has_more ? ids.length : null };
}

/** Pages by offset, as before `after_id` existed: the offset counts all channels in page order. */
async function pageByOffset(
  ctx: AppContext,
  viewer: ListViewer,
  own: readonly number[],
  offset: number,
  limit: number,
): Promise<Page> {
  const left = own.slice(offset, offset + limit + 1);
  const others = { afterId: 0, limit: limit + 1 - left.length, offset: Math.max(0, offset - own.length) };
  const found = others.limit === 0 ? left : [...left, ...(await otherChannelIds(ctx.db, viewer, others))];
  const has_more = found.length > limit;
  return {
    ids: found.slice(0, limit),
    has_more,
    next_after_id: null,
    next_offset: has_more ? offset + limit : null,
  };
}

/**
 * Returns the records in the order of the ids. A caller can have thousands of channels, so it yields to the event loop
 * between pages.
 */
async function recordsOf(ctx: AppContext, viewer: ListViewer, ids: readonly number[]): Promise<Channel[]> {
  const byId = new Map<number, Channel>();
  for (let start = 0; start < ids.length; start += PAGE_MAX) {
    if (start > 0) await new Promise(setImmediate);
    const listed = await listChannels(ctx.db, viewer, ids.slice(start, start + PAGE_MAX));
    const listedIds = listed.map(({ channel }) => channel.id);
    const online = await ctx.presence.counts(listedIds);
    const members = await memberCounts(ctx, listedIds);
    for (const [at, { channel, myRole, reading, ...counts }] of listed.entries()) {
      const seenBy = { userId: viewer.userId ?? null, agentId: viewer.agentId, role: myRole };
      const shown = { ...counts, onlineCount: online[at]?.count ?? 0, memberCount: members[at] ?? 0 };
      byId.set(channel.id, recordOf(ctx, channel, shown, seenBy, reading));
    }
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
}
