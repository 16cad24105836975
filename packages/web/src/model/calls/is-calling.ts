import type { Channel, ChatMessage } from "@parley/protocol/models";
import type { NotificationSettings } from "@parley/protocol/preferences";
import { notificationsOf } from "./channel-preferences.ts";
import { isCalledHere } from "./mentions.ts";

interface Place {
  channelId: number;
  /** Undefined: the user is mentioned in a channel that is not in their list. */
  channel: Pick<Channel, "is_direct" | "last_read_seq"> | undefined;
  self: string;
}

/** True if nothing of the channel notifies the user, as their settings say. */
export function isSilent(channelId: number, settings: NotificationSettings): boolean {
  const { level, muted } = notificationsOf(settings, channelId);
  return muted || (level ?? settings.default) === "none";
}

/** True if a message by somebody who is not blocked calls the user, as their settings say. */
export function isCalling(
  message: Pick<
    ChatMessage,
    "username" | "sender_type" | "mentions" | "seq" | "thread_root_id" | "also_in_channel" | "created_at"
  >,
  { channelId, channel, self }: Place,
  settings: NotificationSettings,
): boolean {
  if (isSilent(channelId, settings) || message.username === self || message.sender_type === "system") return false;
  if (message.seq <= (channel?.last_read_seq ?? 0)) return false;
  if (message.mentions.some(({ type, name, quoted }) => type === "user" && quoted !== true && name === self))
    return true;
  if (channel === undefined || channel.last_read_seq === null) return false;
  if (channel.is_direct || isCalledHere(message, self)) return true;
  // A reply that is only in its thread calls those who follow the thread (`notification:new`).
  const isOnlyInThread = message.thread_root_id !== null && !message.also_in_channel;
  return !isOnlyInThread && (notificationsOf(settings, channelId).level ?? settings.default) === "all";
}
