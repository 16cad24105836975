import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { MessageRow } from "./message-json.ts";
import type { NewMessage } from "./rows.ts";

/**
 * A message of an import. Unlike messages that are sent, it brings its id, time and number, and what was done to it since;
 * it is no event of the log.
 */
export type HistoryRow = Pick<NewMessage, (typeof OF_NEW)[number]> &
  Pick<MessageRow, "id" | "thread" | "reactions" | "pinned_at" | "edited_at" | "deleted_at">;

const OF_NEW = [
  "channel_id",
  "seq",
  "type",
  "content",
  "sender_type",
  "user_id",
  "agent_id",
  "sender_name",
  "reply_to_id",
  "mentions",
  "thread_root_id",
  "also_in_channel",
  "files",
  "created_at",
] as const;

const BLANK: HistoryRow = {
  id: 0,
  channel_id: 0,
  seq: 0,
  type: "text",
  content: "",
  sender_type: "user",
  user_id: null,
  agent_id: null,
  sender_name: "",
  reply_to_id: null,
  mentions: null,
  thread_root_id: null,
  also_in_channel: 0,
  files: null,
  created_at: 0,
  thread: null,
  reactions: null,
  pinned_at: null,
  edited_at: null,
  deleted_at: null,
};

const INSERT = new SizedStatement(BLANK, (db, rows) => db.insertInto("messages").values(rows).compile());

/** Stores messages of an import. Their channels are not yet open, so it publishes nothing. */
export async function insertHistory(db: Db, rows: readonly HistoryRow[]): Promise<void> {
  await INSERT.run(db, rows);
}

/** Removes a row that only kept an id. */
export async function deleteIdKeeper(db: Db, id: number): Promise<void> {
  await db.deleteFrom("messages").where("id", "=", id).where("channel_id", "=", NO_CHANNEL).execute();
}

/** The channel of rows that only keep an id: no channel has this id. */
const NO_CHANNEL = 0;

/**
 * Stores an empty row with this id, so that the database gives no other message this id or a lower one. Nobody sees it:
 * it is deleted, and in no channel.
 */
export async function insertIdKeeper(db: Db, id: number, now: number): Promise<void> {
  await insertHistory(db, [
    { ...BLANK, id, channel_id: NO_CHANNEL, seq: id, sender_type: "system", created_at: now, deleted_at: now },
  ]);
}

/** Returns the number of the channel's newest message, for channels whose counter does not say it yet. */
export async function newestSeq(db: Db, channelId: number): Promise<number> {
  const row = await db
    .selectFrom("messages")
    .select("seq")
    .where("channel_id", "=", channelId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** Lets consumers of these purposes begin behind what the channels have now. Channels without events get no row. */
export async function passOver(db: Db, purposes: readonly string[], channelIds: readonly number[]): Promise<void> {
  for (const purpose of purposes) {
    await db
      .insertInto("channel_cursors")
      .columns(["purpose", "channel_id", "seq"])
      .expression((eb) =>
        eb
          .selectFrom("channels")
          .select([sql.lit(purpose).as("purpose"), "id", "last_seq"])
          .where("id", "in", channelIds)
          .where("last_seq", ">", 0),
      )
      // SQLite reads `on conflict` as a part of the query otherwise; the condition above prevents that.
      .onConflict((conflict) =>
        conflict.columns(["purpose", "channel_id"]).doUpdateSet((eb) => ({ seq: eb.ref("excluded.seq") })),
      )
      .execute();
  }
}

/** Forgets the cursors and events of channels that are removed. */
export async function forgetCursors(db: Db, channelIds: readonly number[]): Promise<void> {
  await db.deleteFrom("channel_cursors").where("channel_id", "in", channelIds).execute();
  // Those of later imports, which are undone.
  await db.deleteFrom("channel_events").where("channel_id", "in", channelIds).execute();
}

/** Removes messages of an import from the log, of which nothing else is left. */
export async function deleteHistory(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("messages").where("id", "in", ids).execute();
}

/**
 * Runs `remove`, which removes messages up to this id, and then sees to it that SQLite gives no message the id again: if it
 * was the highest of all, an empty row keeps it.
 */
export async function keepNewestId(db: Db, id: number, now: number, remove: () => Promise<void>): Promise<void> {
  await remove();
  const newest = await db.selectFrom("messages").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  if ((newest?.id ?? 0) < id) await insertIdKeeper(db, id, now);
}
