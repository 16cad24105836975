import type { Channel } from "@parley/protocol/models";
import type { Notification } from "@parley/protocol/notifications";
import type { UserClient } from "@parley/sdk";
import { EN_NOTIFICATIONS } from "../../i18n/en/notifications.ts";
import type { Texts } from "../../i18n/texts.ts";
import { textsIn } from "../../i18n/translations.ts";
import { hrefOf } from "../../state/route.ts";
import type { ChannelList } from "../channel-list.ts";
import { titleOf } from "./notification-title.ts";
import { type ShownData, tagOf } from "./shown-data.ts";

const TEXT_MAX = 200;

/** A message to announce, or a reminder of one. */
export interface Call {
  /** See `announcedIdOf`. */
  id: number;
  /** Null: it is in a thread, or a reminder: those are read by themselves. */
  seq: number | null;
  sender: string;
  text(): Promise<string>;
  /** The reminder that it is. */
  reminder?: Notification;
}

interface Showing {
  client: UserClient;
  channels: Pick<ChannelList, "find">;
  texts(): Texts;
  language(): string;
  /** The user wants to see the text of messages. */
  showsText: boolean;
}

interface Shown {
  title: string;
  body: string;
  tag: string;
  data: ShownData;
}

/** Returns the notification of the system for calls of one channel, or for one reminder. There is one at least. */
export async function shownCalls(calls: readonly Call[], channelId: number, showing: Showing): Promise<Shown> {
  const call = calls.at(-1);
  if (call === undefined) throw new Error("Nothing calls.");
  return call.reminder === undefined
    ? shownMessages(calls, call, channelId, showing)
    : shownReminder(call, call.reminder, showing);
}

async function shownMessages(
  { length }: readonly Call[],
  call: Call,
  channelId: number,
  { channels, texts: textsOf, showsText }: Showing,
): Promise<Shown> {
  const channel = channels.find(channelId);
  const { calls: texts } = textsOf();
  const hidden = texts.newMessages(length);
  const text = showsText ? shortened(await call.text()) || hidden : hidden;
  return {
    title: channel === undefined || channel.is_direct ? call.sender : texts.from(call.sender, channel.name),
    body: length > 1 && text !== hidden ? `${text}\n${hidden}` : text,
    tag: `channel-${channelId}`,
    data: { url: addressOf(channel, call.id), channelId, messageId: call.id, notificationId: null },
  };
}

async function shownReminder(call: Call, reminder: NonNullable<Call["reminder"]>, showing: Showing): Promise<Shown> {
  const { notification_id: notificationId, message_id: messageId, channel_id: channelId } = reminder;
  const channel = channelId === null ? undefined : await readChannel(channelId, showing);
  const texts = textsIn(showing.language(), "notifications", EN_NOTIFICATIONS);
  return {
    title: titleOf(reminder, channel?.name ?? "", texts),
    body: showing.showsText ? shortened(await call.text()) : "",
    tag: tagOf(notificationId),
    data: { url: addressOf(channel, messageId), channelId: null, messageId, notificationId },
  };
}

/** The user may be reminded of a message in a channel that is not in their list. */
async function readChannel(id: number, { channels, client }: Showing): Promise<Channel | undefined> {
  try {
    return channels.find(id) ?? (await client.channels.get(id)).channel;
  } catch {
    // The reminder is shown without the channel's name: it is for now.
    return undefined;
  }
}

const addressOf = (channel: Channel | undefined, messageId: number | null): string =>
  `${location.origin}/${channel === undefined ? "" : hrefOf({ slug: channel.channel_slug, messageId })}`;

const shortened = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
