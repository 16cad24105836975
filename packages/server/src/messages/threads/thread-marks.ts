import type { Channel } from "../../channels/channel.ts";
import { noteRead } from "../../channels/reading/reading.service.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { freshFeed } from "../../event-log/feed/feed.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { summaryOf } from "../../event-log/thread-summary.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { readableMessage } from "../messages.service.ts";
import { advanceThreadMark, type Follow, followsOf, holdUnreadThreads, setThreadUnreadFrom } from "./follows.store.ts";

/**
 * Returns a message that may begin a thread and that the caller may read. Errors: those of `readableMessage`,
 * `not_a_thread_root`.
 */
export async function readableRoot(
  ctx: AppContext,
  caller: Identity,
  messageId: number,
): Promise<{ row: MessageRow; channel: Channel }> {
  const found = await readableMessage(ctx, caller, messageId);
  if (found.row.thread_root_id !== null) throw fail("not_a_thread_root");
  return found;
}

/** How far a user has read a thread, as the response shows it. */
interface ThreadReadState {
  message_id: number;
  last_read_seq: number;
  unread_from_seq: number | null;
  unread_count: number;
}

/**
 * Marks a thread as read up to `seq`, or up to its newest reply; the mark never moves back. Only followers have one.
 * Notifies all sockets of the user (`thread:read`). Errors: those of `readableMessage`, `not_a_thread_root`.
 */
export async function markThreadRead(
  ctx: AppContext,
  caller: UserIdentity,
  messageId: number,
  seq: number | null,
): Promise<ThreadReadState> {
  const { row, channel } = await readableRoot(ctx, caller, messageId);
  const { lastSeq } = await freshFeed(ctx, channel.id);
  const target = Math.min(seq ?? summaryOf(row.thread).last?.seq ?? row.seq, lastSeq);
  const moved = await advanceThreadMark(ctx.db, caller.userId, row.id, target);
  if (moved) noteRead(ctx, { userId: caller.userId, channelId: channel.id, rootId: row.id });
  return stateAfter(ctx, caller, row, { isChanged: moved, seq: target });
}

/**
 * Marks a thread as unread from `seq` on, whatever the user has read before. Only followers have a mark. Notifies all
 * sockets of the user (`thread:read`). Errors: those of `readableMessage`, `not_a_thread_root`.
 */
export async function markThreadUnread(
  ctx: AppContext,
  caller: UserIdentity,
  messageId: number,
  seq: number,
): Promise<ThreadReadState> {
  const { row, channel } = await readableRoot(ctx, caller, messageId);
  const { lastSeq } = await freshFeed(ctx, channel.id);
  const isChanged = seq <= lastSeq && (await setThreadUnreadFrom(ctx.db, caller.userId, row.id, seq));
  return stateAfter(ctx, caller, row, { isChanged, seq: 0 });
}

/** Returns what is stored and, if it has changed, tells the user's sockets. `seq`: what a user who does not follow gets. */
async function stateAfter(
  ctx: AppContext,
  caller: UserIdentity,
  root: MessageRow,
  { isChanged, seq }: { isChanged: boolean; seq: number },
): Promise<ThreadReadState> {
  const mark = isChanged ? await tellMark(ctx, caller, root) : await markOf(ctx, caller, root);
  const isFollowing = mark?.isFollowing === true;
  return {
    message_id: root.id,
    last_read_seq: isFollowing ? mark.lastReadSeq : seq,
    unread_from_seq: isFollowing ? mark.unreadFromSeq : null,
    unread_count: isFollowing ? mark.unreadCount : 0,
  };
}

/** Threads that one transaction marks. */
const THREADS_AT_ONCE = 256;

/**
 * Reads all threads that the user follows to their ends, in bounded transactions. Tells no socket and no listener: the
 * caller tells of everything at once. Returns how many changed.
 */
export async function readAllThreads(ctx: AppContext, userId: number): Promise<number> {
  let changed = 0;
  for (let afterRoot: number | null = 0; afterRoot !== null; ) {
    const start: number = afterRoot;
    const threads = await transact(ctx, async (ctx) => {
      const found = await holdUnreadThreads(ctx.db, userId, { afterRoot: start, limit: THREADS_AT_ONCE });
      for (const { rootId, lastSeq } of found) await advanceThreadMark(ctx.db, userId, rootId, lastSeq);
      return found;
    });
    changed += threads.length;
    afterRoot = threads.length < THREADS_AT_ONCE ? null : (threads.at(-1)?.rootId ?? null);
  }
  return changed;
}

/** Returns what the user has to do with a thread; undefined: nothing. */
export const markOf = async (ctx: AppContext, caller: UserIdentity, root: MessageRow): Promise<Follow | undefined> =>
  (await followsOf(ctx.db, caller.userId, [root.id]))[0];

/** Returns what is stored for the user, and tells all of their sockets (`thread:read`). */
export async function tellMark(ctx: AppContext, caller: UserIdentity, root: MessageRow): Promise<Follow | undefined> {
  const mark = await markOf(ctx, caller, root);
  if (mark === undefined) return undefined;
  publishEvent(ctx, userTopic(caller.userId), "thread:read", {
    channel_id: root.channel_id,
    message_id: root.id,
    following: mark.isFollowing,
    last_read_seq: mark.lastReadSeq,
    unread_from_seq: mark.unreadFromSeq,
    unread_count: mark.isFollowing ? mark.unreadCount : 0,
  });
  return mark;
}
