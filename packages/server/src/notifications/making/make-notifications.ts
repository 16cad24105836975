import { lookUpNames } from "../../accounts/names/name-directory.ts";
import { nameKey } from "../../accounts/names/names.ts";
import type { Channel } from "../../channels/channel.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { RecordMention } from "../../event-log/message-json.ts";
import type { Span } from "../../event-log/span.ts";
import { peopleAsked } from "../../messages/cards/people-asked.ts";
import { callsHere } from "../../messages/mentions/here.ts";
import type { NamingMessage } from "../../messages/message-hooks.ts";
import { mendThreads } from "../../messages/threads/summaries.ts";
import { deleteOfMessages } from "../list/list.store.ts";
import { publishGone, publishNew } from "../list/notifications.service.ts";
import { trimSoon } from "../list/trim.ts";
import { tellMissed } from "../missed/missed.ts";
import { queuePushes } from "../push/queue.ts";
import { noteReadingSoon } from "../reading/follow-reading.ts";
import {
  deleteUnlessFollowed,
  insertNotifications,
  mentionsAbout,
  type NewNotification,
  readOfEnded,
} from "./making.store.ts";
import { peopleHere } from "./people-here.ts";
import { notifyReactions } from "./reactions.ts";
import { type FollowerRow, followersByThread } from "./recipients.store.ts";
import { type Candidate, notified } from "./rules.ts";
import * as spansOf from "./spans.store.ts";
import { pushesToEverybody } from "./wanting-all.ts";

type Kind = "card" | "direct" | "mention" | "thread_reply";
type Concerned = Candidate & { kind: Kind };

/**
 * Makes the notifications of what happened in these spans, in the transaction that advances the consumer's cursors, and
 * queues their push messages.
 */
export async function notifySpans(ctx: AppContext, spans: readonly Span[]): Promise<void> {
  const channels = await channelsOf(ctx, new Set(spans.map(({ channelId }) => channelId)));
  const living = spans.filter(({ channelId }) => channels.has(channelId));
  const direct = living.filter(({ channelId }) => channels.get(channelId)?.direct !== null);
  const others = living.filter(({ channelId }) => channels.get(channelId)?.direct === null);
  const changes = await spansOf.changedMessages(ctx.db, spans);
  const changed = (event: string) => changes.filter((change) => change.event === event);
  const edited = await spansOf.livingMessages(
    ctx.db,
    changed("message:update").map(({ message_id }) => message_id),
  );
  await withdrawMentions(ctx, edited);
  const posted = [...(await spansOf.everyMessage(ctx.db, direct)), ...(await spansOf.namingMessages(ctx.db, others))];
  const made = madePromptly(ctx);
  const messages = [...posted.filter(({ id }) => !made.has(id)), ...edited.filter(({ mentions }) => mentions !== null)];
  const ids = await notifyMessages(ctx, channels, messages, new Set(posted));
  const reactedIds = await notifyReactions(ctx, channels, changed("reaction:update"));
  await publishNew(ctx, [...ids, ...reactedIds]);
  await pushesToEverybody(ctx, living);
  const answered = changed("interaction:update").map(({ message_id }) => message_id);
  await publishGone(ctx, await readOfEnded(ctx.db, answered, ctx.clock.now()));
  const deleted = changed("message:delete");
  const deletedIds = deleted.map(({ message_id }) => message_id);
  await publishGone(ctx, await deleteOfMessages(ctx.db, deletedIds));
  // This consumer is the one that reads deletions.
  for (const [channelId, those] of Map.groupBy(deleted, ({ channel_id }) => channel_id)) {
    const channel = channels.get(channelId);
    const ids = those.map(({ message_id }) => message_id);
    if (channel !== undefined) await mendThreads(ctx, channel, ids);
  }
}

/**
 * Makes the notifications of messages that mention somebody, in the caller's transaction. When their spans come, they are
 * made already. Messages whose spans have come are left alone: the settings of that moment have decided about them.
 */
export async function notifyNaming(ctx: AppContext, messages: readonly NamingMessage[]): Promise<void> {
  const channelIds = new Set(messages.map(({ channel_id }) => channel_id));
  const handled = await spansOf.handledUpTo(ctx.db, [...channelIds]);
  const channels = await channelsOf(ctx, channelIds);
  const news = messages.filter(({ channel_id, seq }) => seq > (handled.get(channel_id) ?? 0));
  const seqs = new Map(news.map(({ id, seq }) => [id, seq]));
  const rows = await spansOf.livingMessages(ctx.db, [...seqs.keys()]);
  const posted = new Set(rows.filter(({ id, seq }) => seqs.get(id) === seq));
  await publishNew(ctx, await notifyMessages(ctx, channels, rows, posted));
}

async function channelsOf(ctx: AppContext, channelIds: ReadonlySet<number>): Promise<Map<number, Channel>> {
  const found = new Map<number, Channel>();
  for (const channelId of channelIds) {
    const channel = await findChannel(ctx, { id: channelId });
    if (channel !== null) found.set(channelId, channel);
  }
  return found;
}

/** Stores the notifications of messages; returns the ids of the new ones. `posted`: those that are no edits. */
async function notifyMessages(
  ctx: AppContext,
  channels: ReadonlyMap<number, Channel>,
  messages: readonly spansOf.MadeRow[],
  posted: ReadonlySet<spansOf.MadeRow>,
): Promise<number[]> {
  const named = await usersNamed(ctx, messages);
  const rootIds = new Set(messages.flatMap(({ thread_root_id }) => thread_root_id ?? []));
  const threads = await followersByThread(ctx.db, [...rootIds]);
  const now = ctx.clock.now();
  const rows: NewNotification[] = [];
  const askedBy = await peopleAsked(ctx, messages);
  for (const [channelId, all] of Map.groupBy(messages, ({ channel_id }) => channel_id)) {
    const channel = channels.get(channelId);
    if (channel === undefined) continue;
    const here = await peopleHere(ctx, channel, all.filter(callsSince(posted)));
    const concerned = all.flatMap((message) =>
      concernedBy(channel, message, {
        named,
        followers: followersOf(threads, message),
        asked: askedBy.get(message.id) ?? [],
        here: here.get(message.id) ?? [],
      }).map((candidate) => ({
        ...candidate,
        message,
      })),
    );
    for (const { userId, kind, message, lastReadSeq } of await notified(ctx, channel, concerned)) {
      const isHidden = message.thread_root_id !== null && message.also_in_channel === 0;
      const mark = isHidden ? threadMark(threads, message, userId) : lastReadSeq;
      rows.push({
        user_id: userId,
        kind,
        about: "message",
        channel_id: channelId,
        message_id: message.id,
        seq: message.seq,
        thread_root_id: isHidden ? message.thread_root_id : null,
        from_user_id: message.user_id,
        from_agent_id: message.agent_id,
        from_name: null,
        reaction: null,
        read_at: message.seq <= mark ? now : null,
        created_at: now,
      });
    }
  }
  // The list is ordered by the ids, which the rows get in this order.
  rows.sort((a, b) => (a.message_id ?? 0) - (b.message_id ?? 0) || a.user_id - b.user_id);
  const stored = await insertNotifications(ctx.db, rows);
  noteReadingSoon(ctx, stored);
  await queuePushes(
    ctx,
    stored.filter(({ read_at }) => read_at === null).map((row) => ({ ...row, isAny: false })),
    now,
  );
  await tellMissed(ctx, stored, now);
  trimSoon(ctx, stored);
  return stored.map(({ id }) => id);
}

type Threads = Awaited<ReturnType<typeof followersByThread>>;

const followersOf = (threads: Threads, { thread_root_id }: spansOf.MadeRow): readonly FollowerRow[] =>
  threads.get(thread_root_id ?? 0) ?? [];

/** Returns how far the user has read the thread of a reply. */
const threadMark = (threads: Threads, message: spansOf.MadeRow, userId: number): number =>
  followersOf(threads, message).find(({ user_id }) => user_id === userId)?.last_read_seq ?? 0;

/** Returns whom a message concerns, each user once, without its sender. */
function concernedBy(
  channel: Channel,
  { user_id, agent_id, mentions }: spansOf.MadeRow,
  {
    named,
    followers,
    asked,
    here,
  }: {
    named: ReadonlyMap<string, number>;
    followers: readonly FollowerRow[];
    asked: readonly number[];
    here: readonly number[];
  },
): Concerned[] {
  const sender = user_id === null ? `a${agent_id}` : `u${user_id}`;
  const found = new Map<number, Kind>();
  for (const follower of followers) if (follower.is_following === 1) found.set(follower.user_id, "thread_reply");
  for (const userId of here) found.set(userId, "mention");
  for (const name of namesIn(mentionsOf(mentions))) {
    const userId = named.get(nameKey(name));
    if (userId !== undefined) found.set(userId, "mention");
  }
  for (const { userId } of channel.direct ?? []) found.set(userId, "direct");
  for (const userId of asked) found.set(userId, "card");
  if (user_id !== null) found.delete(user_id);
  return [...found].map(([userId, kind]) => ({ userId, kind, sender }));
}

/** Deletes the notifications of mentions that an edit has removed. Followers of the thread keep them, as replies. */
async function withdrawMentions(ctx: AppContext, edited: readonly spansOf.MadeRow[]): Promise<void> {
  const named = await usersNamed(ctx, edited);
  const withdrawn = (
    await mentionsAbout(
      ctx.db,
      edited.map(({ id }) => id),
    )
  ).filter(({ user_id, message_id }) => {
    const mentions = mentionsOf(edited.find(({ id }) => id === message_id)?.mentions ?? null);
    // Whoever was called with `@here` remains so, as long as the text says it.
    if (callsHere(mentions)) return false;
    return !namesIn(mentions).some((name) => named.get(nameKey(name)) === user_id);
  });
  await publishGone(
    ctx,
    await deleteUnlessFollowed(
      ctx.db,
      withdrawn.map(({ id }) => id),
    ),
  );
}

async function usersNamed(ctx: AppContext, messages: readonly spansOf.MadeRow[]): Promise<Map<string, number>> {
  const keys = new Set(messages.flatMap(({ mentions }) => namesIn(mentionsOf(mentions)).map(nameKey)));
  if (keys.size === 0) return new Map();
  const names = await lookUpNames(ctx, [...keys]);
  return new Map([...names].flatMap(([key, named]) => (named?.kind === "user" ? [[key, named.id]] : [])));
}

const mentionsOf = (mentions: string | null): RecordMention[] =>
  mentions === null ? [] : (JSON.parse(mentions) as RecordMention[]);

/** True for a person's message of these that calls everybody who is online. */
const callsSince = (posted: ReadonlySet<spansOf.MadeRow>) => (message: spansOf.MadeRow) =>
  message.user_id !== null && posted.has(message) && callsHere(mentionsOf(message.mentions));

/** Returns the names of the users whom a message mentions. */
const namesIn = (mentions: readonly RecordMention[]): string[] =>
  mentions.flatMap(({ type, name, quoted }) => (type === "user" && quoted !== true ? [name] : []));

const KEPT_MAX = 20_000;

/**
 * The newest messages whose notifications this node has made promptly. The consumer passes over them: a notification
 * that was made and then dropped, because its list was full, would come back as the newest.
 */
class MadePromptly {
  readonly #ids = new Set<number>();

  has(messageId: number): boolean {
    return this.#ids.has(messageId);
  }

  /** Call it when they are committed. */
  add(messageIds: Iterable<number>): void {
    for (const id of messageIds) this.#ids.add(id);
    const over = Math.max(0, this.#ids.size - KEPT_MAX);
    for (const id of [...this.#ids.values().take(over)]) this.#ids.delete(id);
  }
}

export const madePromptly = perServer(() => new MadePromptly());
