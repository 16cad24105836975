import type { Channel as ChannelModel, JoinedChannel } from "@parley/protocol/models";
import type { AppContext } from "../context.ts";
import { lastSeq } from "../event-log/feed/feed.ts";
import type { Identity } from "../http/identity.ts";
import { onlineCount } from "../realtime/presence/user-list.ts";
import { roleIn } from "./access/access.ts";
import type { Channel } from "./channel.ts";
import { memberCount, oldestMessageId } from "./channel-cache.ts";
import { type ChannelCounts, joinedRecordOf, recordOf, type Viewer } from "./channel-json.ts";
import { findReadingPlace } from "./reading/reading.store.ts";

/** Returns the channel as this caller sees it now. */
export async function channelRecord(ctx: AppContext, caller: Identity, channel: Channel): Promise<ChannelModel> {
  const place = caller.kind === "user" ? await findReadingPlace(ctx.db, channel.id, caller.userId) : null;
  return recordOf(ctx, channel, await countsOf(ctx, channel), await viewerOf(ctx, caller, channel), place);
}

/**
 * Returns the same record without the read position. The ack of a join adds the online count and `last_seq`, which may
 * change until then. Runs no SQL for a cached channel.
 */
export async function joinedRecord(ctx: AppContext, caller: Identity, channel: Channel): Promise<JoinedChannel> {
  const counts = {
    memberCount: await memberCount(ctx, channel.id),
    onlineCount: 0,
    lastSeq: 0,
    oldestMessageId: await oldestMessageId(ctx, channel.id),
  };
  return joinedRecordOf(ctx, channel, counts, await viewerOf(ctx, caller, channel));
}

async function countsOf(ctx: AppContext, channel: Channel): Promise<ChannelCounts> {
  return {
    memberCount: await memberCount(ctx, channel.id),
    onlineCount: await onlineCount(ctx, channel.id),
    lastSeq: await lastSeq(ctx, channel.id),
    oldestMessageId: await oldestMessageId(ctx, channel.id),
  };
}

async function viewerOf(ctx: AppContext, caller: Identity, channel: Channel): Promise<Viewer> {
  const role = await roleIn(ctx, caller, channel);
  if (caller.kind === "agent") return { userId: null, agentId: caller.agentId, role };
  return { userId: caller.kind === "user" ? caller.userId : null, role };
}
