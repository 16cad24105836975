import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { PADDED_MAX, paddedList } from "../../db/statements/sized-statement.ts";
import { columnOf, type ReplyRow, summaryOf, withReplies } from "../../event-log/thread-summary.ts";
import { type Follower as FollowerRow, followByOthers } from "./follows.store.ts";
import { recount } from "./summaries.ts";

/** Somebody who follows a thread of an import. */
export type Follower = FollowerRow;

/** Lets people follow threads of an import, whose messages are read by everybody when the channels are shown. */
export const followThreads = (db: Db, followers: readonly Follower[]): Promise<void> => followByOthers(db, followers);

/** Roots whose summaries are read at once. */
const AT_ONCE = PADDED_MAX;

/** Adds replies, oldest first, to what their roots say about their threads. All roots are stored. */
export async function addReplies(db: Db, replies: ReadonlyMap<number, readonly ReplyRow[]>): Promise<void> {
  const ids = [...replies.keys()];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const roots = await db
      .selectFrom("messages")
      .select(["id", "thread"])
      .where("id", "in", paddedList(ids.slice(from, from + AT_ONCE)))
      .orderBy("id")
      .execute();
    for (const { id, thread } of roots) {
      const text = columnOf(withReplies(summaryOf(thread), replies.get(id) ?? []));
      await db.updateTable("messages").set({ thread: text }).where("id", "=", id).execute();
    }
  }
}

/** The threads of an import: those in these channels whose roots have ids of its block, from the first to the last. */
export interface ThreadsOfImport {
  channelIds: readonly number[];
  firstId: number;
  lastId: number;
}

/** Marks threads of an import as read by all who follow them. It reads no messages, which may be millions. */
export const readThreads = (db: Db, { channelIds, firstId, lastId }: ThreadsOfImport) =>
  db
    .updateTable("thread_follows")
    .set({ last_read_seq: sql<number>`(select last_seq from channels where id = thread_follows.channel_id)` })
    .where("root_id", ">=", firstId)
    .where("root_id", "<=", lastId)
    .where("channel_id", "in", channelIds);

/** Moves what people follow in a hidden channel to another one. */
export async function moveFollows(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable("thread_follows").set({ channel_id: to }).where("channel_id", "=", from).execute();
}

/** Marks all threads of a channel as read. */
export async function readAllThreads(db: Db, channelId: number): Promise<void> {
  await db
    .updateTable("thread_follows")
    .set({ last_read_seq: sql<number>`(select last_seq from channels where id = thread_follows.channel_id)` })
    .where("channel_id", "=", channelId)
    .execute();
}

/** Removes what these people follow in a channel. */
export async function forgetFollows(db: Db, channelId: number, userIds: readonly number[]): Promise<void> {
  for (let from = 0; from < userIds.length; from += AT_ONCE)
    await db
      .deleteFrom("thread_follows")
      .where("channel_id", "=", channelId)
      .where("user_id", "in", userIds.slice(from, from + AT_ONCE))
      .execute();
}

/** Has a message count the replies to it again. */
export const recountThread = recount;
