import type { Db } from "../../db/db.ts";
import type { KeyboardsTable } from "../../db/tables/menus.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

/** Keyboards of a channel that are kept; only those for some readers can be so many. */
export const KEYBOARDS_MAX = 100;

export async function insertKeyboard(db: Db, row: KeyboardsTable): Promise<void> {
  await db.insertInto("keyboards").values(row).execute();
}

/** Forgets the keyboards of a channel before a message, of one name or of all. */
export async function forgetKeyboardsBefore(
  db: Db,
  { channel_id, message_id, agent_name }: Omit<KeyboardsTable, "agent_name"> & { agent_name: string | null },
): Promise<void> {
  const older = db.deleteFrom("keyboards").where("channel_id", "=", channel_id).where("message_id", "<", message_id);
  await (agent_name === null ? older : older.where("agent_name", "=", agent_name)).execute();
}

/** Forgets all but the newest keyboards of a channel. */
export async function trimKeyboards(db: Db, channelId: number): Promise<void> {
  const oldest = await db
    .selectFrom("keyboards")
    .select("message_id")
    .where("channel_id", "=", channelId)
    .orderBy("message_id", "desc")
    .offset(KEYBOARDS_MAX - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined)
    await forgetKeyboardsBefore(db, { channel_id: channelId, message_id: oldest.message_id, agent_name: null });
}

/** Forgets the keyboards of messages that are deleted or removed for good. */
export async function forgetKeyboards(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("keyboards").where("message_id", "in", messageIds).execute();
}

/** Returns the messages of a channel that show or remove keyboards, newest first. */
export function keyboardMessages(db: Db, channelId: number): Promise<MessageRow[]> {
  return db
    .selectFrom("keyboards")
    .innerJoin("messages", "messages.id", "keyboards.message_id")
    .selectAll("messages")
    .where("keyboards.channel_id", "=", channelId)
    .orderBy("keyboards.message_id", "desc")
    .limit(KEYBOARDS_MAX)
    .execute();
}

/** Returns which of these messages a user wrote. */
export async function writtenBy(db: Db, ids: readonly number[], userId: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("messages")
    .select("id")
    .where("id", "in", ids)
    .where("user_id", "=", userId)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns what a user has written in a channel after `seq`, of the next `limit` messages there; null: there are more, so
 * that nobody knows.
 */
export async function textsAfter(
  db: Db,
  { channelId, seq, userId }: { channelId: number; seq: number; userId: number },
  limit: number,
): Promise<Set<string> | null> {
  const after = db.selectFrom("messages").where("channel_id", "=", channelId).where("seq", ">", seq).orderBy("seq");
  const beyond = await after.select("id").offset(limit).limit(1).executeTakeFirst();
  if (beyond !== undefined) return null;
  const rows = await after.select("content").where("user_id", "=", userId).where("deleted_at", "is", null).execute();
  return new Set(rows.map(({ content }) => content));
}
