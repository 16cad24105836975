import { type Insertable, type Selectable, sql } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows } from "../db/dialect.ts";
import { isItem } from "../db/statements/item-kind.ts";
import type { FilesTable } from "../db/tables/files.ts";

export type FileRow = Selectable<FilesTable>;

/** A file with the state of its message. */
export type PlacedFile = FileRow & {
  /** True while its message shows it. */
  is_shown: boolean;
};

export async function insertFile(db: Db, file: Omit<Insertable<FilesTable>, "id">): Promise<number> {
  return (await db.insertInto("files").values(file).returning("id").executeTakeFirstOrThrow()).id;
}

/** Returns those of the files that an import has brought. */
export async function importedAmong(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("import_items")
    .select("parley_id")
    .where(isItem("file"))
    .where("parley_id", "in", ids)
    .execute();
  return new Set(rows.map(({ parley_id }) => parley_id));
}

/** Finds a file. It is shown while its message is neither deleted nor gone, whoever deleted that. */
export async function findFile(db: Db, id: number): Promise<PlacedFile | undefined> {
  const row = await db
    .selectFrom("files")
    .leftJoin("messages", (join) =>
      join.onRef("messages.id", "=", "files.message_id").on("messages.deleted_at", "is", null),
    )
    .selectAll("files")
    .select("messages.id as shown_by")
    .where("files.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { shown_by, ...file } = row;
  return { ...file, is_shown: shown_by !== null };
}

export function findFiles(db: Db, ids: readonly number[]): Promise<FileRow[]> {
  return db.selectFrom("files").selectAll().where("id", "in", ids).execute();
}

/** Returns files, which stay as they are until the transaction ends. */
export function holdFiles(db: Db, ids: readonly number[]): Promise<FileRow[]> {
  return holdRows(db, db.selectFrom("files").selectAll().where("id", "in", ids).orderBy("id")).execute();
}

/** Sets the status of a file that has `from`. Returns false if it has another one by now. */
export async function moveStatus(db: Db, id: number, from: FileRow["status"], to: FileRow["status"]): Promise<boolean> {
  const result = await db
    .updateTable("files")
    .set({ status: to })
    .where("id", "=", id)
    .where("status", "=", from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Locks those of the files that can be sent, and returns how many they are. */
export async function lockUnsent(db: Db, ids: readonly number[]): Promise<number> {
  const result = await db
    .updateTable("files")
    .set({ created_at: sql`created_at` })
    .where("id", "in", ids)
    .where("message_id", "is", null)
    .where("status", "=", "ready")
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

export async function bindToMessage(
  db: Db,
  ids: readonly number[],
  place: { message_id: number; channel_id: number; uploader_name: string },
): Promise<void> {
  await db.updateTable("files").set(place).where("id", "in", ids).execute();
}

/** Moves the files of a channel's messages with them to another channel. */
export async function moveToChannel(db: Db, from: number, to: number): Promise<void> {
  await db
    .updateTable("files")
    .set({ channel_id: to })
    .where("channel_id", "=", from)
    .where("message_id", "is not", null)
    .execute();
}

/** Moves the files of a block of messages with them to another channel. */
export async function moveOfMessages(
  db: Db,
  { from, to, firstId, lastId }: { from: number; to: number; firstId: number; lastId: number },
): Promise<void> {
  await db
    .updateTable("files")
    .set({ channel_id: to })
    .where("channel_id", "=", from)
    .where("message_id", ">=", firstId)
    .where("message_id", "<=", lastId)
    .execute();
}

/** Changes the description of a file; with `isUnsent` only if no message has it. Returns false if it did nothing. */
export async function setAltText(
  db: Db,
  id: number,
  altText: string | null,
  { isUnsent }: { isUnsent: boolean },
): Promise<boolean> {
  let query = db.updateTable("files").set({ alt_text: altText }).where("id", "=", id);
  if (isUnsent) query = query.where("message_id", "is", null);
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}

export async function setVoice(db: Db, id: number, voice: string): Promise<void> {
  await db.updateTable("files").set({ voice }).where("id", "=", id).execute();
}

/** Deletes those of the files that were not sent, and returns them. */
export function deleteUnsent(db: Db, ids: readonly number[]): Promise<FileRow[]> {
  return db.deleteFrom("files").where("id", "in", ids).where("message_id", "is", null).returningAll().execute();
}

/** Deletes the files of these messages, and returns them. */
export function deleteOfMessages(db: Db, messageIds: readonly number[]): Promise<FileRow[]> {
  return db.deleteFrom("files").where("message_id", "in", messageIds).returningAll().execute();
}

/** Deletes files of a channel, and returns them. */
export function deleteOfChannel(db: Db, channelId: number): Promise<FileRow[]> {
  return db
    .deleteFrom("files")
    .where("channel_id", "=", channelId)
    .where("message_id", "is not", null)
    .returningAll()
    .execute();
}

/**
 * Returns ids of files that were not sent and are not kept for a scheduled message: uploaded before `before`, or never
 * stored and begun before `begun`.
 */
export async function abandoned(
  db: Db,
  { now, before, begun }: { now: number; before: number; begun: number },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom("files")
    .select("id")
    .where("message_id", "is", null)
    .where("created_at", "<", begun)
    .where((eb) => eb.or([eb("created_at", "<", before), eb("status", "=", "storing")]))
    .where((eb) => eb.or([eb("kept_until", "is", null), eb("kept_until", "<", now)]))
    .orderBy("created_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Has files that are not sent kept until then; null: as long as others. */
export async function keepUnsent(db: Db, ids: readonly number[], until: number | null): Promise<void> {
  await db
    .updateTable("files")
    .set({ kept_until: until })
    .where("id", "in", ids)
    .where("message_id", "is", null)
    .execute();
}

/** Returns the messages of the next files after `after` whose message is deleted or gone, and where the search ended. */
export async function orphansAfter(
  db: Db,
  after: number,
  limit: number,
): Promise<{ messageIds: number[]; last: number | null }> {
  const rows = await db
    .selectFrom("files")
    .leftJoin("messages", (join) =>
      join.onRef("messages.id", "=", "files.message_id").on("messages.deleted_at", "is", null),
    )
    .select(["files.id", "files.message_id", "messages.id as shown_by"])
    .where("files.id", ">", after)
    .orderBy("files.id")
    .limit(limit)
    .execute();
  const messageIds = rows.flatMap(({ message_id, shown_by }) =>
    message_id !== null && shown_by === null ? [message_id] : [],
  );
  return { messageIds, last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** Returns files after that one which wait for the scanner, in order. */
export function scanningFiles(db: Db, after: number, limit: number): Promise<FileRow[]> {
  return db
    .selectFrom("files")
    .selectAll()
    .where("status", "=", "scanning")
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns files of a channel, the last uploaded first. */
export function channelFiles(
  db: Db,
  channelId: number,
  { kind, before, limit }: { kind: FileRow["kind"] | undefined; before: number | undefined; limit: number },
): Promise<(FileRow & { seq: number })[]> {
  let query = db
    .selectFrom("files")
    .innerJoin("messages", "messages.id", "files.message_id")
    .selectAll("files")
    .select("messages.seq")
    .where("files.channel_id", "=", channelId)
    .where("messages.deleted_at", "is", null)
    .orderBy("files.id", "desc")
    .limit(limit);
  if (kind !== undefined) query = query.where("files.kind", "=", kind);
  if (before !== undefined) query = query.where("files.id", "<", before);
  return query.execute();
}

/** Returns the user's files after that one, in order. */
/** Returns files of a user with the cards of their messages, which say whether these are forwarded. */
export function filesOfUser(
  db: Db,
  userId: number,
  after: number,
  limit: number,
): Promise<(FileRow & { card: string | null; channel_deleted_at: number | null })[]> {
  return db
    .selectFrom("files")
    .leftJoin("messages", "messages.id", "files.message_id")
    .leftJoin("channels", "channels.id", "files.channel_id")
    .selectAll("files")
    .select(["messages.card", "channels.deleted_at as channel_deleted_at"])
    .where("files.user_id", "=", userId)
    .where("files.id", ">", after)
    .orderBy("files.id")
    .limit(limit)
    .execute();
}

/** Takes the uploader from files that were sent. */
export async function disownFiles(db: Db, ids: readonly number[], label: string): Promise<void> {
  await db.updateTable("files").set({ user_id: null, uploader_name: label }).where("id", "in", ids).execute();
}
