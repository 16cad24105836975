import type { Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows } from "../db/dialect.ts";
import type { SavedTables } from "../db/tables/saved.ts";
import type { PageAfter } from "../user-export.ts";

export type SavedRow = Selectable<SavedTables["saved_messages"]>;

/** Saves a message, unless the user has saved it. */
export async function insertSaved(db: Db, row: Omit<SavedRow, "id">): Promise<void> {
  await db
    .insertInto("saved_messages")
    .values(row)
    .onConflict((conflict) => conflict.columns(["user_id", "message_id"]).doNothing())
    .execute();
}

/** Returns when a message was deleted and when it ends, and keeps it from being removed until the transaction ends. */
export function holdMessage(
  db: Db,
  id: number,
): Promise<{ deleted_at: number | null; expires_at: number | null } | undefined> {
  const query = db.selectFrom("messages").select(["deleted_at", "expires_at"]).where("id", "=", id);
  return holdRows(db, query).executeTakeFirst();
}

/** Returns what the user saved of a message. */
export function findSaved(db: Db, userId: number, messageId: number): Promise<SavedRow | undefined> {
  return db
    .selectFrom("saved_messages")
    .selectAll()
    .where("user_id", "=", userId)
    .where("message_id", "=", messageId)
    .executeTakeFirst();
}

/** Removes a message from those that the user has saved. Returns false if it was not saved. */
export async function deleteSaved(db: Db, userId: number, messageId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("saved_messages")
    .where("user_id", "=", userId)
    .where("message_id", "=", messageId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countSaved(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("saved_messages")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Returns what the user has saved before `before`, the newest first. */
export function savedBefore(db: Db, userId: number, before: number | undefined, limit: number): Promise<SavedRow[]> {
  let query = db.selectFrom("saved_messages").selectAll().where("user_id", "=", userId);
  if (before !== undefined) query = query.where("id", "<", before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/** Returns the ids of the messages that the user has saved, the newest first. */
export async function savedIds(db: Db, userId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("saved_messages")
    .select("message_id")
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ message_id }) => message_id);
}

/** Forgets who saved these messages. */
export async function deleteOfMessages(db: Db, messageIds: readonly number[]): Promise<void> {
  await db.deleteFrom("saved_messages").where("message_id", "in", messageIds).execute();
}

export async function deleteOfUser(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("saved_messages").where("user_id", "=", userId).execute();
}

/** Returns a page of what a user has saved, for the copy of their data. */
export function savedOf(db: Db, { userId, last, limit }: PageAfter<SavedRow>): Promise<SavedRow[]> {
  return db
    .selectFrom("saved_messages")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}
