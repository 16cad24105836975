import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";
import { deleteItemsOf } from "./inbox/inbox-rows.ts";

type Db = Kysely<Tables>;

/**
 * Returns the ids of the channel's oldest messages, but never the newest message of all channels: SQLite would reuse
 * its id.
 */
export async function oldestMessages(db: Db, channelId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("messages")
    .select("id")
    .where("channel_id", "=", channelId)
    .where("id", "<", (eb) => eb.selectFrom("messages as newest").select((of) => of.fn.max("newest.id").as("id")))
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Deletes messages with their mentions and reactions. Reports stay: they belong to the moderators and contain a copy of
 * the message.
 */
export async function deleteMessages(db: Db, ids: readonly number[]): Promise<void> {
  await deleteItemsOf(db, ids);
  await db.deleteFrom("reactions").where("message_id", "in", ids).execute();
  await db.deleteFrom("messages").where("id", "in", ids).execute();
}

/** Clears everything in the channel's messages except their ids and numbers. */
export async function blankMessages(db: Db, channelId: number, now: number): Promise<void> {
  await db
    .updateTable("messages")
    .set({
      content: "",
      sender_name: "",
      user_id: null,
      agent_id: null,
      client_msg_id: null,
      client_key: null,
      client_hash: null,
      mentions: null,
      sticker_id: null,
      sticker: null,
      reactions: null,
      pinned_at: null,
      pinned_by: null,
      deleted_at: now,
    })
    .where("channel_id", "=", channelId)
    .execute();
}
