import { PAGE_DEFAULT, PAGE_MAX } from "@parley/protocol/limits";
import type { ChannelRecord } from "@parley/protocol/records";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { lastSeq } from "../messages/feed.ts";
import { roleIn } from "./access.ts";
import { type Channel, memberCount } from "./channel-cache.ts";
import { recordOf } from "./channel-record.ts";
import { listChannels } from "./channels.store.ts";

/** The channel as this caller sees it now. */
export async function channelRecord(ctx: AppContext, caller: Identity, channel: Channel): Promise<ChannelRecord> {
  const counts = {
    memberCount: await memberCount(ctx, channel.id),
    onlineCount: ctx.presence.count(channel.id),
    lastSeq: await lastSeq(ctx, channel.id),
  };
  return recordOf(channel, counts, await roleIn(ctx, caller, channel));
}

export interface ChannelPage {
  channels: ChannelRecord[];
  has_more: boolean;
  next_offset: number | null;
  /** Only when the list was asked for in pages. */
  limit?: number;
}

/** What the caller can find: all of it, or a page when he asks for one. Errors: `session_required` (guests, when they may not read). */
export async function visibleChannels(
  ctx: AppContext,
  caller: Identity,
  page: { limit?: number | undefined; offset?: number | undefined },
): Promise<ChannelPage> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const viewer =
    caller.kind === "user" ? { userId: caller.userId } : caller.kind === "agent" ? { agentId: caller.agentId } : {};
  const paged = page.limit !== undefined || page.offset !== undefined;
  const limit = Math.min(page.limit ?? PAGE_DEFAULT, PAGE_MAX);
  const offset = page.offset ?? 0;
  const listed = await listChannels(ctx.db, viewer, paged ? { limit: limit + 1, offset } : undefined);
  const hasMore = paged && listed.length > limit;
  const shown = hasMore ? listed.slice(0, limit) : listed;
  const channels = shown.map(({ channel, myRole, ...counts }) =>
    recordOf(channel, { ...counts, onlineCount: ctx.presence.count(channel.id) }, myRole),
  );
  return { channels, has_more: hasMore, next_offset: hasMore ? offset + limit : null, ...(paged ? { limit } : {}) };
}
