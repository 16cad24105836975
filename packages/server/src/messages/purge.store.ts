import type { Db } from "../db/db.ts";
import { forgetFollowers } from "./threads/follows.store.ts";

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

export async function deleteRows(db: Db, ids: readonly number[]): Promise<void> {
  await forgetFollowers(db, ids);
  await db.deleteFrom("messages").where("id", "in", ids).execute();
}

const NO_CONTENT = {
  content: "",
  mentions: null,
  sticker_id: null,
  sticker: null,
  files: null,
  card: null,
  previews: null,
  reactions: null,
  pinned_at: null,
  pinned_by: null,
  pinned_agent_id: null,
};

/** Clears the content of messages, which become tombstones; those that are tombstones keep their time. */
export async function blankMessages(db: Db, ids: readonly number[], now: number): Promise<void> {
  await db
    .updateTable("messages")
    .set((eb) => ({ ...NO_CONTENT, deleted_at: eb.fn.coalesce("deleted_at", eb.val(now)) }))
    .where("id", "in", ids)
    .execute();
}

/** Clears everything in the channel's messages except their ids and numbers. */
export async function blankChannel(db: Db, channelId: number, now: number): Promise<void> {
  await db
    .updateTable("messages")
    .set({
      ...NO_CONTENT,
      sender_name: "",
      user_id: null,
      agent_id: null,
      client_msg_id: null,
      client_key: null,
      client_hash: null,
      expires_at: null,
      thread: null,
      deleted_at: now,
    })
    .where("channel_id", "=", channelId)
    .execute();
}

/** Lets tombstones stay for good, as those of deleted messages do. */
export async function keepTombstones(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.updateTable("messages").set({ expires_at: null }).where("id", "in", ids).execute();
}
