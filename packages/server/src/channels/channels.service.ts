import type { ChannelRecord, JoinedChannel } from "@parley/protocol/records";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { Identity } from "../http/identity.ts";
import { type OffsetPage, type OffsetQuery, pageByOffset } from "../http/pages.ts";
import { lastSeq } from "../messages/feed.ts";
import { roleIn } from "./access.ts";
import { type Channel, memberCount } from "./channel-cache.ts";
import { listChannels } from "./channel-list.store.ts";
import { type ChannelCounts, joinedRecordOf, recordOf, type Viewer } from "./channel-record.ts";
import { findReadingPlace } from "./reading.store.ts";

/** The channel as this caller sees it now. */
export async function channelRecord(ctx: AppContext, caller: Identity, channel: Channel): Promise<ChannelRecord> {
  const place = caller.kind === "user" ? await findReadingPlace(ctx.db, channel.id, caller.userId) : null;
  return recordOf(channel, await countsOf(ctx, channel), await viewerOf(ctx, caller, channel), place);
}

/** The same without what he has read of it: free of SQL for a channel in memory. */
export async function joinedRecord(ctx: AppContext, caller: Identity, channel: Channel): Promise<JoinedChannel> {
  return joinedRecordOf(channel, await countsOf(ctx, channel), await viewerOf(ctx, caller, channel));
}

async function countsOf(ctx: AppContext, channel: Channel): Promise<ChannelCounts> {
  return {
    memberCount: await memberCount(ctx, channel.id),
    onlineCount: ctx.presence.count(channel.id),
    lastSeq: await lastSeq(ctx, channel.id),
  };
}

async function viewerOf(ctx: AppContext, caller: Identity, channel: Channel): Promise<Viewer> {
  return { userId: userIdOf(caller), role: await roleIn(ctx, caller, channel) };
}

const userIdOf = (caller: Identity): number | null => (caller.kind === "user" ? caller.userId : null);

export interface ChannelPage extends Omit<OffsetPage, "limit"> {
  channels: ChannelRecord[];
  /** Only when the list was asked for in pages. */
  limit?: number;
}

/** What the caller can find: all of it, or a page when he asks for one. Errors: `session_required` (guests, when they may not read). */
export async function visibleChannels(ctx: AppContext, caller: Identity, query: OffsetQuery): Promise<ChannelPage> {
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  const viewer =
    caller.kind === "user" ? { userId: caller.userId } : caller.kind === "agent" ? { agentId: caller.agentId } : {};
  const isPaged = query.limit !== undefined || query.offset !== undefined;
  const { shown, ...rest } = isPaged
    ? await pageByOffset(query, (page) => listChannels(ctx.db, viewer, page))
    : { shown: await listChannels(ctx.db, viewer), has_more: false, next_offset: null };
  const channels = shown.map(({ channel, myRole, reading, ...counts }) => {
    const viewer = { userId: userIdOf(caller), role: myRole };
    return recordOf(channel, { ...counts, onlineCount: ctx.presence.count(channel.id) }, viewer, reading);
  });
  return { channels, ...rest };
}
