import type { ThreadQuery, ThreadsQuery } from "@parley/protocol/thread-calls";
import { audit } from "../../audit/audit.ts";
import { isByLevel, mayManage, membershipOf, readableChannel } from "../../channels/access/access.ts";
import { heldRole } from "../../channels/access/ranks.ts";
import type { Channel } from "../../channels/channel.ts";
import { noteRead } from "../../channels/reading/reading.service.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import { appendEvent, lockChannel } from "../../event-log/events.ts";
import { freshFeed } from "../../event-log/feed/feed.ts";
import type { HistoryPage } from "../../event-log/feed/feed-memory.ts";
import { recordJson } from "../../event-log/message-json.ts";
import { findMessages } from "../../event-log/rows.ts";
import { columnOf, summaryOf } from "../../event-log/thread-summary.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { clampLimit } from "../../http/pages.ts";
import { marked } from "../history/history.service.ts";
import { messagesOfThread } from "../history/message-sources.ts";
import { pageAfter, pageBefore, placeOf } from "../history/pages.ts";
import { findMessage, updateMessage } from "../messages.store.ts";
import { actorOf, differingOf, markedRecords, ownRecord, withOwnFields } from "../own-fields.ts";
import { followsOf, type ListedFollow, listFollows, setFollowing } from "./follows.store.ts";
import { markOf, readableRoot, tellMark } from "./thread-marks.ts";

/** A page of a thread. */
export interface ThreadPage {
  channel: Channel;
  page: HistoryPage;
  /** The record of the message that began it. */
  rootJson: string;
  /** How far the caller has read it; null unless they follow it. */
  lastReadSeq: number | null;
  /** From which reply on the caller has marked it as unread; null: they have not. */
  unreadFromSeq: number | null;
}

/**
 * Returns a page of a thread, oldest first: the root, then its replies; the newest page without a cursor.
 * Errors: those of `readableMessage`, `not_a_thread_root`, `invalid_cursor`.
 */
export async function readThread(
  ctx: AppContext,
  caller: Identity,
  messageId: number,
  query: ThreadQuery,
): Promise<ThreadPage> {
  const { row, channel } = await readableRoot(ctx, caller, messageId);
  const { before, after, after_seq: afterSeq } = query;
  if ([before, after, afterSeq].filter((cursor) => cursor !== undefined).length > 1)
    throw fail("invalid_cursor", { message: "Send at most one cursor." });
  const { lastSeq } = await freshFeed(ctx, channel.id);
  const pages = { channel, source: messagesOfThread(ctx.db, row), limit: clampLimit(query.limit), lastSeq };
  const start = after === undefined ? afterSeq : (await placeOf(ctx, channel, after)).after;
  const end = before === undefined ? lastSeq + 1 : (await placeOf(ctx, channel, before)).seq;
  const page = start === undefined ? await pageBefore(pages, end) : await pageAfter(pages, start);
  const shared = { json: recordJson(row, channel.slug), ...differingOf([row]) };
  const mark = caller.kind === "user" ? await markOf(ctx, caller, row) : undefined;
  const isFollowing = mark?.isFollowing === true;
  return {
    channel,
    page: await marked(ctx, caller, page),
    rootJson: await withOwnFields(ctx, actorOf(caller), shared),
    lastReadSeq: isFollowing ? mark.lastReadSeq : null,
    unreadFromSeq: isFollowing ? mark.unreadFromSeq : null,
  };
}

/** The threads that a user follows, as JSON records. */
export interface FollowedThreads {
  threadsJson: string;
  has_more: boolean;
  next_before: number | null;
  limit: number;
}

/**
 * Returns a page of the threads the caller follows, that with the newest reply first. Threads of channels that the caller
 * may no longer read are left out, so that a page may be shorter than its limit. Errors: those of `readableChannel` for a
 * named channel.
 */
export async function followedThreads(
  ctx: AppContext,
  caller: UserIdentity,
  { unread = false, channel_id: channelId, before, limit: asked }: ThreadsQuery,
): Promise<FollowedThreads> {
  if (channelId !== undefined) await readableChannel(ctx, caller, { id: channelId });
  const limit = clampLimit(asked);
  const found = await listFollows(ctx.db, caller.userId, { unread, channelId, before, limit: limit + 1 });
  const listed = found.slice(0, limit);
  const has_more = found.length > limit;
  const threads = await threadRecords(ctx, caller, listed);
  return {
    threadsJson: `[${threads.join(",")}]`,
    has_more,
    next_before: has_more ? (listed.at(-1)?.place ?? null) : null,
    limit,
  };
}

async function threadRecords(
  ctx: AppContext,
  caller: UserIdentity,
  listed: readonly ListedFollow[],
): Promise<string[]> {
  const channels = await readableOf(ctx, caller, new Set(listed.map(({ channelId }) => channelId)));
  const shown = listed.filter(({ channelId }) => channels.has(channelId));
  const ids = shown.flatMap(({ rootId, lastReplyId }) => (lastReplyId === null ? [rootId] : [rootId, lastReplyId]));
  const rows = (await findMessages(ctx.db, ids)).map((row) => ({
    ...row,
    slug: channels.get(row.channel_id)?.slug ?? "",
  }));
  const records = await markedRecords(ctx, actorOf(caller), rows);
  const byId = new Map(rows.map(({ id }, at) => [id, records[at]]));
  const marks = ids.length === 0 ? [] : await followsOf(ctx.db, caller.userId, ids);
  const markById = new Map(marks.map((mark) => [mark.rootId, mark]));
  return shown.flatMap(({ rootId, lastReplyId }) => {
    const root = byId.get(rootId);
    const last = lastReplyId === null ? undefined : byId.get(lastReplyId);
    const { lastReadSeq = 0, unreadFromSeq = null, unreadCount = 0 } = markById.get(rootId) ?? {};
    const own = { last_read_seq: lastReadSeq, unread_from_seq: unreadFromSeq, unread_count: unreadCount };
    return root === undefined ? [] : [`{"root":${root},"last_reply":${last ?? null},${JSON.stringify(own).slice(1)}`];
  });
}

/** Returns those of the channels that the caller may read. */
async function readableOf(
  ctx: AppContext,
  caller: UserIdentity,
  channelIds: ReadonlySet<number>,
): Promise<Map<number, Channel>> {
  const readable = new Map<number, Channel>();
  for (const id of channelIds) {
    try {
      const channel = await readableChannel(ctx, caller, { id });
      // An administrator may read more than the channels they are in, which is for a reason and is audited.
      if (!channel.isPrivate || (await membershipOf(ctx, caller, channel)) !== null) readable.set(id, channel);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return readable;
}

/**
 * Follows a thread, or leaves it; idempotent. A thread that is followed anew is read so far. Notifies all sockets of the
 * user (`thread:read`). Errors: those of `readableMessage`, `not_a_thread_root`, `message_deleted`.
 */
export async function followThread(
  ctx: AppContext,
  caller: UserIdentity,
  messageId: number,
  following: boolean,
): Promise<{ message_id: number; following: boolean }> {
  const { row, channel } = await readableRoot(ctx, caller, messageId);
  if (following && row.deleted_at !== null && row.thread === null) throw fail("message_deleted");
  const { lastSeq } = await freshFeed(ctx, channel.id);
  const follower = { userId: caller.userId, rootId: row.id, channelId: channel.id, seq: lastSeq };
  if (await setFollowing(ctx.db, follower, following)) {
    noteRead(ctx, follower);
    await tellMark(ctx, caller, row);
  }
  return { message_id: row.id, following };
}

/**
 * Locks or unlocks a thread; idempotent. In a locked thread only those who may lock it reply. Returns the root's record.
 * Errors: those of `readableMessage`, `not_a_thread_root`, `forbidden`, `message_deleted`.
 */
export async function lockThread(
  ctx: AppContext,
  caller: UserIdentity,
  messageId: number,
  isLocked: boolean,
): Promise<string> {
  const { channel } = await readableRoot(ctx, caller, messageId);
  const role = await heldRole(ctx, caller, channel);
  if (channel.direct !== null || !mayManage(caller, role, "moderator")) throw fail("forbidden");
  const row = await transact(ctx, async (ctx) => {
    await lockChannel(ctx, channel.id);
    const before = await findMessage(ctx.db, messageId);
    if (before === undefined) throw fail("message_not_found");
    // Nobody can reply any more.
    if (before.deleted_at !== null) throw fail("message_deleted");
    const summary = summaryOf(before.thread);
    if (summary.isLocked === isLocked) return before;
    const change = { thread: columnOf({ ...summary, isLocked }) };
    const row = { ...before, ...change };
    await updateMessage(ctx.db, messageId, change);
    await appendEvent(ctx, channel.id, "message:update", { message: { row, channelSlug: channel.slug } });
    if (isByLevel(role)) {
      await audit(ctx, caller, isLocked ? "thread_lock" : "thread_unlock", `message:${messageId}`, {
        channel_id: channel.id,
      });
    }
    return row;
  });
  return ownRecord(ctx, caller, row, recordJson(row, channel.slug));
}
