import type { Channel } from "@parley/protocol/models";
import type { NotificationSettings } from "@parley/protocol/preferences";
import { Store } from "../../state/store.ts";
import type { ChannelList } from "../channel-list.ts";
import { type ChannelPreferences, notificationsOf } from "./channel-preferences.ts";

/** How a channel draws attention in the list of channels, the title and the icon. */
export interface ChannelAttention {
  /** The number in the list; 0: none. */
  count: number;
  /** The number of messages among them that call the user: mentions, and all of a direct conversation. */
  calls: number;
  hasUnread: boolean;
  hasMention: boolean;
  isMuted: boolean;
}

/** How the whole page draws attention. */
export interface Attention {
  calls: number;
  hasUnread: boolean;
}

export const NO_ATTENTION: Attention = { calls: 0, hasUnread: false };

/** Everything that decides about attention. */
export interface AttentionSource {
  channels: readonly Channel[];
  /** Seqs of unread mentions, by channel. */
  mentions: ReadonlyMap<number, ReadonlySet<number>>;
  settings: NotificationSettings;
  /** Unread notifications of the user's list. */
  listed: number;
}

/**
 * The only rules for counts. A muted channel shows its mentions alone, and with the level `none` nothing. A channel with
 * the level `none` never calls. `mentions` is the number of unread mentions.
 */
export function channelAttention(
  channel: Pick<Channel, "id" | "unread_count" | "is_direct">,
  mentions: number,
  settings: NotificationSettings,
): ChannelAttention {
  const { level: own, muted: isMuted } = notificationsOf(settings, channel.id);
  const level = own ?? settings.default;
  const unread = channel.unread_count ?? 0;
  // A mention may be known a moment longer than it is unread.
  const named = isMuted && level === "none" ? 0 : Math.min(mentions, unread);
  const direct = channel.is_direct && !isMuted ? unread : 0;
  return {
    count: isMuted ? named : unread,
    calls: level === "none" ? 0 : Math.max(named, direct),
    hasUnread: unread > 0 && !isMuted,
    hasMention: named > 0,
    isMuted,
  };
}

export function attentionOf({ channels, mentions, settings, listed }: AttentionSource): Attention {
  const all = channels.map((channel) => channelAttention(channel, mentions.get(channel.id)?.size ?? 0, settings));
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    hasUnread: listed > 0 || all.some(({ hasUnread }) => hasUnread),
  };
}

/** Returns the page's attention, kept up to date. */
export function followAttention(
  { view, mentions }: Pick<ChannelList, "view" | "mentions">,
  { notifications }: Pick<ChannelPreferences, "notifications">,
  listed: Store<number>,
): Store<Attention> {
  const attention = new Store(NO_ATTENTION);
  const update = () => {
    const { channels } = view.get();
    const settings = notifications.get();
    const next = attentionOf({ channels, mentions: mentions.all.get(), settings, listed: listed.get() });
    const { calls, hasUnread } = attention.get();
    if (calls !== next.calls || hasUnread !== next.hasUnread) attention.set(next);
  };
  for (const store of [view, mentions.all, notifications, listed]) store.subscribe(update);
  return attention;
}
