import type { ChannelRecord } from "@parley/protocol/records";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { publishEvent } from "../realtime/publish.ts";
import { userTopic } from "../realtime/topics.ts";
import { recordOf } from "./channel-record.ts";
import { findChannelById } from "./channels.store.ts";
import { memberCountOf } from "./members.store.ts";
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

/** Tells a user, wherever he is connected, that somebody brought him into a channel; in the transaction that did. */
export async function tellArrival(ctx: AppContext, channelId: number, userId: number): Promise<void> {
  publishEvent(ctx, userTopic(userId), "channel:added", { channel: await memberRecord(ctx, channelId, userId) });
}
