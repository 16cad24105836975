import { PINS_PER_CHANNEL } from "@parley/protocol/limits";
import { sql } from "kysely";
import type { Db } from "../db/db.ts";

// Messages of a later export wait in hidden channels until they are moved to those to which they belong (protocol §14.7).

/** The newest message of a channel. */
export interface Newest {
  id: number;
  created_at: number;
}

/** Returns the channel's newest message, up to this id; null if it has none. */
export async function newestMessageOf(
  db: Db,
  channelId: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Newest | null> {
  const row = await db
    .selectFrom("messages")
    .select(["id", "created_at"])
    .where("channel_id", "=", channelId)
    .where("id", "<=", upTo)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Moves all messages of a hidden channel to another one, behind `offset`. Roots of the other channel were hidden, too:
 * their ids are negative until now.
 */
export async function moveHistory(
  db: Db,
  { from, to, offset }: { from: number; to: number; offset: number },
): Promise<void> {
  await db
    .updateTable("messages")
    .set({
      channel_id: to,
      seq: sql<number>`seq + ${offset}`,
      thread_root_id: sql<number | null>`case when thread_root_id < 0 then -thread_root_id else thread_root_id end`,
    })
    .where("channel_id", "=", from)
    .execute();
}

/** Lets replies of a hidden channel whose roots are in another one be messages of the channel itself. */
export async function leaveOutsideThreads(db: Db, channelId: number): Promise<void> {
  await db
    .updateTable("messages")
    .set({ thread_root_id: null, also_in_channel: 0 })
    .where("channel_id", "=", channelId)
    .where("thread_root_id", "<", 0)
    .execute();
}

/** Does so for the replies to these messages only. */
export async function leaveThreads(db: Db, channelId: number, rootIds: readonly number[]): Promise<void> {
  if (rootIds.length === 0) return;
  const roots = rootIds.map((id) => -id);
  await db
    .updateTable("messages")
    .set({ thread_root_id: null, also_in_channel: 0 })
    .where("channel_id", "=", channelId)
    .where("thread_root_id", "in", roots)
    .execute();
}

/** Returns those of the messages that are in the channel. */
export async function idsIn(db: Db, channelId: number, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("messages")
    .select("id")
    .where("id", "in", ids)
    .where("channel_id", "=", channelId)
    .execute();
  return rows.map(({ id }) => id);
}

/** Unpins the oldest messages of a hidden channel that have no room among the pins of another one. */
export async function trimPins(db: Db, from: number, to: number): Promise<void> {
  const pinsOf = (channelId: number) =>
    db.selectFrom("messages").select("id").where("channel_id", "=", channelId).where("pinned_at", "is not", null);
  const there = await pinsOf(to).execute();
  const own = await pinsOf(from).orderBy("seq", "desc").execute();
  const over = own.slice(Math.max(PINS_PER_CHANNEL - there.length, 0)).map(({ id }) => id);
  if (over.length > 0) await db.updateTable("messages").set({ pinned_at: null }).where("id", "in", over).execute();
}

/** Returns a page of a hidden channel's replies whose roots are in another one, in order. */
export const outsideReplies = (db: Db, channelId: number, after: number, limit: number) =>
  db
    .selectFrom("messages")
    .select(["seq", "created_at", "sender_type", "sender_name", "user_id", "thread_root_id", "deleted_at"])
    .where("channel_id", "=", channelId)
    .where("seq", ">", after)
    .where("thread_root_id", "<", 0)
    .orderBy("seq")
    .limit(limit)
    .execute();

/** Hides the messages of a block that are in a channel in another one, which is hidden. They keep their numbers. */
export async function takeOutHistory(
  db: Db,
  { from, to, firstId, lastId }: { from: number; to: number; firstId: number; lastId: number },
): Promise<void> {
  await db
    .updateTable("messages")
    .set({ channel_id: to })
    .where("channel_id", "=", from)
    .where("id", ">=", firstId)
    .where("id", "<=", lastId)
    .execute();
}

/** Hides from the roots of other channels that they have replies in a hidden one. Returns the roots. */
export async function hideThreads(db: Db, channelId: number, firstId: number): Promise<number[]> {
  const replies = db.selectFrom("messages").where("channel_id", "=", channelId).where("thread_root_id", ">", 0);
  const rows = await replies.where("thread_root_id", "<", firstId).select("thread_root_id").distinct().execute();
  await db
    .updateTable("messages")
    .set({ thread_root_id: sql<number>`-thread_root_id` })
    .where("channel_id", "=", channelId)
    .where("thread_root_id", ">", 0)
    .where("thread_root_id", "<", firstId)
    .execute();
  return rows.flatMap(({ thread_root_id }) => thread_root_id ?? []);
}
