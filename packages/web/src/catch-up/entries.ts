import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { Channel } from "@parley/protocol/models";
import type { Notification } from "@parley/protocol/notifications";
import type { NotificationSettings } from "@parley/protocol/preferences";
import { type ChannelAttention, channelAttention } from "../model/calls/attention.ts";
import { type FollowedThread, isUnread } from "../model/threads/followed-threads.ts";

/** Something that waits for the user. The key stays the same while more of it arrives. */
export type Entry = { key: string } & (
  | { kind: "card"; notification: Notification }
  | { kind: "mention"; notification: Notification }
  | { kind: "channel"; channel: Channel; attention: ChannelAttention }
  | { kind: "thread"; thread: FollowedThread }
  | { kind: "session"; session: AgentSession }
);

/** Everything that the entries are made of. */
export interface EntrySource {
  /** In the order of the sidebar. */
  channels: readonly Channel[];
  /** Seqs of unread mentions, by channel. */
  mentions: ReadonlyMap<number, ReadonlySet<number>>;
  settings: NotificationSettings;
  threads: readonly FollowedThread[];
  /** Unread notifications, newest first. */
  notifications: readonly Notification[];
  /** Cards that the user has not answered. */
  cards: readonly Notification[];
  sessions: readonly AgentSession[];
  /** How far each place is done here; the server may not know it yet. */
  doneUpTo: ReadonlyMap<string, number>;
  /** Keys of what was set aside: it has no read mark. */
  aside: ReadonlySet<string>;
  /** Keys of mentions that were done and brought back: the server keeps them as read. */
  back: ReadonlySet<string>;
}

/** Returns what waits for the user: cards, then what calls them, the rest of the channels, threads, and agents' work. */
export function entriesOf(source: EntrySource): Entry[] {
  const { threads, aside, doneUpTo } = source;
  const isLeft = ({ key }: Entry) => !aside.has(key);
  const places = channelEntries(source);
  const calling = places.filter(({ attention }) => attention.calls > 0);
  const unreadThreads = threads
    .filter((thread) => isUnread(thread) && lastSeqOf(thread) > (doneUpTo.get(threadKey(thread)) ?? -1))
    .map((thread): Entry => ({ kind: "thread", key: threadKey(thread), thread }));
  return [
    ...source.cards.map((card): Entry => ({ kind: "card", key: `card:${card.notification_id}`, notification: card })),
    ...calling,
    ...mentionsElsewhere(source),
    ...places.filter(({ attention }) => attention.calls === 0),
    ...unreadThreads,
    ...sessionEntries(source),
  ].filter(isLeft);
}

type ChannelEntry = Extract<Entry, { kind: "channel" }>;

function channelEntries({ channels, mentions, settings, doneUpTo }: EntrySource): ChannelEntry[] {
  return channels.flatMap((channel): ChannelEntry[] => {
    const key = `channel:${channel.id}`;
    const attention = channelAttention(channel, mentions.get(channel.id)?.size ?? 0, settings);
    const isDone = channel.last_seq <= (doneUpTo.get(key) ?? -1);
    return attention.count === 0 || isDone ? [] : [{ kind: "channel", key, channel, attention }];
  });
}

/** Mentions in the user's own channels and threads are among what is unread there. */
function mentionsElsewhere({ notifications, channels, back }: EntrySource): Entry[] {
  const own = new Set(channels.flatMap(({ id, my_role }) => (my_role === null ? [] : [id])));
  return notifications
    .filter(({ kind, channel_id }) => kind === "mention" && !own.has(channel_id ?? 0))
    .map((notification): Entry => ({ kind: "mention", key: `mention:${notification.notification_id}`, notification }))
    .filter((entry) => entry.kind === "mention" && (entry.notification.read_at === null || back.has(entry.key)));
}

/** A session that waits for a card of the user is shown by the card. */
function sessionEntries({ sessions, cards }: EntrySource): Entry[] {
  const asked = new Set(cards.map(({ message_id }) => message_id));
  return sessions
    .filter(({ interaction_id }) => interaction_id === null || !asked.has(interaction_id))
    .map((session) => {
      const { agent_id, thread_root_id, state, since } = session;
      return { kind: "session", key: `session:${agent_id}:${thread_root_id}:${state}:${since}`, session };
    });
}

const threadKey = ({ root }: FollowedThread): string => `thread:${root.id}`;

/** Returns the seq of a thread's newest reply. */
export const lastSeqOf = ({ root, last_reply }: FollowedThread): number => last_reply?.seq ?? root.seq;
