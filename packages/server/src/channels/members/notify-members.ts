import type { Channel } from "@parley/protocol/models";
import { notify } from "../../accounts/notices.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { onlineCount } from "../../realtime/presence/user-list.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { recordOf } from "../channel-json.ts";
import { findChannelById, oldestMessageIdOf } from "../channels.store.ts";
import { findReadingPlace } from "../reading/reading.store.ts";
import { memberCountOf, memberIds } from "./members.store.ts";

/**
 * Returns the channel as this member sees it. Bypasses the caches, so it also works inside the transaction that adds
 * the member.
 */
export async function memberRecord(ctx: AppContext, channelId: number, userId: number): Promise<Channel> {
  const channel = await findChannelById(ctx.db, channelId);
  const place = await findReadingPlace(ctx.db, channelId, userId);
  if (channel === null || place === null) throw fail("channel_not_found");
  const counts = {
    memberCount: await memberCountOf(ctx.db, channelId),
    onlineCount: await onlineCount(ctx, channelId),
    lastSeq: place.lastSeq,
    oldestMessageId: await oldestMessageIdOf(ctx.db, channelId),
  };
  return recordOf(ctx, channel, counts, { userId, role: place.role }, place);
}

/**
 * Notifies connected members that a channel was restored. Runs outside the restoring transaction because there may be
 * many members. Members who connect later find the channel in their list.
 */
export async function publishToRestoredMembers(ctx: AppContext, channelId: number): Promise<void> {
  for (const userId of await memberIds(ctx.db, channelId)) {
    if (!(await ctx.presence.isUserOnline(userId))) continue;
    try {
      await publishPlace(ctx, channelId, userId);
    } catch (error) {
      // The member or the channel was removed in the meantime.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/**
 * Notifies a user's connections that someone gave them a place or a new role in a channel. Call inside the transaction
 * that does so.
 */
export async function publishPlace(ctx: AppContext, channelId: number, userId: number): Promise<void> {
  publishEvent(ctx, userTopic(userId), "channel:added", { channel: await memberRecord(ctx, channelId, userId) });
}

/** More admins than this are not told: the notices are written in the transaction of the act. */
const MANAGERS_MAX = 50;

/** Tells the owner and the admins of a channel that somebody else deleted or restored it. Call inside `transact`. */
export async function notifyManagers(
  ctx: AppContext,
  by: UserIdentity,
  channel: { id: number; name: string },
  code: "channel_deleted" | "channel_restored",
): Promise<void> {
  const managers = await ctx.db
    .selectFrom("channel_members")
    .select("user_id")
    .where("channel_id", "=", channel.id)
    .where("role", "in", ["owner", "admin"])
    .orderBy("user_id")
    .limit(MANAGERS_MAX)
    .execute();
  for (const { user_id } of managers) await notify(ctx, user_id, { code, channel, by });
}
