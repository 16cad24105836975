import type { Channel, ChatMessage } from "@parley/protocol/models";
import type { NotificationSettings } from "@parley/protocol/preferences";
import { notificationsOf } from "./channel-preferences.ts";

interface Place {
  channelId: number;
  /** Undefined: the user is mentioned in a channel that is not in their list. */
  channel: Pick<Channel, "is_direct" | "last_read_seq"> | undefined;
  self: string;
}

/** True if a message by somebody who is not blocked calls the user, as their settings say. */
export function isCalling(
  message: Pick<ChatMessage, "username" | "sender_type" | "mentions" | "seq">,
  { channelId, channel, self }: Place,
  settings: NotificationSettings,
): boolean {
  const { level: own, muted } = notificationsOf(settings, channelId);
  const level = own ?? settings.default;
  if (muted || level === "none" || message.username === self || message.sender_type === "system") return false;
  if (message.seq <= (channel?.last_read_seq ?? 0)) return false;
  if (message.mentions.some(({ type, name }) => type === "user" && name === self)) return true;
  return channel !== undefined && channel.last_read_seq !== null && (channel.is_direct || level === "all");
}
