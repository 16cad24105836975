import type { ChannelRecord } from "@parley/protocol/records";
import type { AppContext } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { CONNECTED } from "../realtime/presence.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import { recordOf } from "./channel-record.ts";
import { findChannelById } from "./channels.store.ts";
import { memberCountOf, memberIds } from "./members.store.ts";
import { findReadingPlace } from "./reading.store.ts";

/** The channel as this member sees it, read past the caches: inside the transaction that made him one, too. */
export async function memberRecord(ctx: AppContext, channelId: number, userId: number): Promise<ChannelRecord> {
  const channel = await findChannelById(ctx.db, channelId);
  const place = await findReadingPlace(ctx.db, channelId, userId);
  if (channel === null || place === null) throw fail("channel_not_found");
  const counts = {
    memberCount: await memberCountOf(ctx.db, channelId),
    onlineCount: ctx.presence.count(channelId),
    lastSeq: place.lastSeq,
  };
  return recordOf(channel, counts, { userId, role: place.role }, place);
}

/**
 * Tells the members who are connected that they have the channel again. Not in the transaction that brought it back: they may be many. Who
 * connects later finds it in his list.
 */
export async function tellMembers(ctx: AppContext, channelId: number): Promise<void> {
  for (const userId of await memberIds(ctx.db, channelId)) {
    if (!ctx.presence.has(CONNECTED, "user", userId)) continue;
    try {
      await tellPlace(ctx, channelId, userId);
    } catch (error) {
      // He, or the channel, is gone meanwhile.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Tells a user, wherever he is connected, that somebody gave him a place in a channel, or another one; in the transaction that did. */
export async function tellPlace(ctx: AppContext, channelId: number, userId: number): Promise<void> {
  publishEvent(ctx, userTopic(userId), "channel:added", { channel: await memberRecord(ctx, channelId, userId) });
}
