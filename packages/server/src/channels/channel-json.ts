import type { ChannelFacts, Channel as ChannelModel, JoinedChannel } from "@parley/protocol/models";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import type { Channel, ChannelRole } from "./channel.ts";
import { effectiveDays, holdAt } from "./retention/retention.ts";
import { pickSettings } from "./settings/channel-settings.ts";

/** A record's fields that are not channel settings. */
export interface ChannelCounts {
  memberCount: number;
  onlineCount: number;
  lastSeq: number;
  /** null: there is no message. */
  oldestMessageId: number | null;
}

/** A member's read position and unread count. */
export interface Reading {
  lastReadSeq: number;
  /** null: the user has marked nothing as unread. */
  unreadFromSeq: number | null;
  /** At most `UNREAD_COUNT_MAX`. */
  unreadCount: number;
}

export interface Viewer {
  /** null: a guest or an agent. */
  userId: number | null;
  agentId?: number | undefined;
  role: ChannelRole | null;
}

/** Returns the channel as every member sees it, the four original fields first (protocol §3). */
export function channelFacts(ctx: AppContext, channel: Channel, counts: ChannelCounts): ChannelFacts {
  const heldUntil = holdAt(channel.heldUntil, ctx.clock.now());
  return {
    id: channel.id,
    name: channel.name,
    is_private: channel.isPrivate,
    owner_username: channel.ownerUsername,
    channel_slug: channel.slug,
    has_password: channel.hasPassword,
    ...pickSettings(channel),
    member_count: counts.memberCount,
    online_count: counts.onlineCount,
    last_seq: counts.lastSeq,
    effective_retention_days: effectiveDays(ctx.config, channel.retention_days),
    held_until: isoTimeOrNull(heldUntil),
    oldest_message_id: counts.oldestMessageId,
    is_direct: channel.direct !== null,
    created_at: isoTime(channel.createdAt),
    updated_at: isoTime(channel.updatedAt),
  };
}

/** Returns the channel as a caller sees it on joining. */
export function joinedRecordOf(
  ctx: AppContext,
  channel: Channel,
  counts: ChannelCounts,
  viewer: Viewer,
): JoinedChannel {
  const facts = channelFacts(ctx, channel, counts);
  return { ...facts, my_role: viewer.role, ...directWith(channel, viewer) };
}

/** Returns the channel as one caller sees it; a null `reading` means they are not a member. */
export function recordOf(
  ctx: AppContext,
  channel: Channel,
  counts: ChannelCounts,
  viewer: Viewer,
  reading: Reading | null,
): ChannelModel {
  return {
    ...joinedRecordOf(ctx, channel, counts, viewer),
    last_read_seq: reading?.lastReadSeq ?? null,
    unread_from_seq: reading?.unreadFromSeq ?? null,
    unread_count: reading?.unreadCount ?? null,
  };
}

/** Returns the other participant of a conversation; nulls if the viewer is not in it. */
function directWith(
  { direct, directAgent }: Channel,
  { userId, agentId }: Viewer,
): Pick<JoinedChannel, "direct_with" | "direct_with_agent"> {
  const isAgent = directAgent !== null && directAgent.agentId === agentId;
  const isUser = direct?.some((peer) => peer.userId === userId) ?? false;
  if (direct === null || !(isAgent || isUser)) return { direct_with: null, direct_with_agent: null };
  const other = isAgent ? direct[0] : direct.find((peer) => peer.userId !== userId);
  return { direct_with: other?.username ?? null, direct_with_agent: isAgent ? null : (directAgent?.agentName ?? null) };
}
