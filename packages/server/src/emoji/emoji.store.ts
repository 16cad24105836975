import type { Insertable, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { EmojiTable } from "../db/tables/emoji.ts";
import type { EmojiPicture } from "./emoji-picture.ts";

/** The id of the only row of `emoji_changes`. */
const CHANGES = 0;

/** An emoji with the name of who added it; null: the account was erased. */
export type EmojiRow = Omit<Selectable<EmojiTable>, "import_id" | "is_hidden"> & { username: string | null };

const everyRow = (db: Db) =>
  db.selectFrom("emoji").leftJoin("users", "users.id", "emoji.user_id").selectAll("emoji").select("users.username");

/** Emoji that people see. */
const emojiRows = (db: Db) => everyRow(db).where("emoji.is_hidden", "=", 0);

/** Returns all emoji in the order of their names. */
export const allEmoji = (db: Db): Promise<EmojiRow[]> => emojiRows(db).orderBy("emoji.name").execute();

export const findEmoji = (db: Db, name: string): Promise<EmojiRow | undefined> =>
  emojiRows(db).where("emoji.name", "=", name).executeTakeFirst();

/** Returns emoji of a user after that id, in the order in which they were added. */
export const emojiOf = (db: Db, userId: number, after: number, limit: number): Promise<EmojiRow[]> =>
  everyRow(db)
    .where("emoji.user_id", "=", userId)
    .where("emoji.id", ">", after)
    .orderBy("emoji.id")
    .limit(limit)
    .execute();

/** Holds the list of emoji against other changes until the transaction ends. */
export async function holdEmoji(db: Db): Promise<void> {
  await db
    .updateTable("emoji_changes")
    .set((eb) => ({ changes: eb("changes", "+", 1) }))
    .where("id", "=", CHANGES)
    .execute();
}

/** Counts all emoji, and those of a user. */
export async function countEmoji(db: Db, userId: number): Promise<{ all: number; own: number }> {
  const row = await db
    .selectFrom("emoji")
    .select((eb) => [
      eb.fn.countAll<number | string>().as("all"),
      eb.fn.countAll<number | string>().filterWhere("user_id", "=", userId).as("own"),
    ])
    .executeTakeFirstOrThrow();
  return { all: Number(row.all), own: Number(row.own) };
}

/** Inserts an emoji; null if there is one whose name has this key. */
export async function insertEmoji(
  db: Db,
  emoji: Pick<Insertable<EmojiTable>, "name" | "name_key" | "user_id" | "created_at" | "import_id" | "is_hidden">,
  { bytes, ...facts }: EmojiPicture,
): Promise<number | null> {
  const row = await db
    .insertInto("emoji")
    .values({ ...emoji, ...facts, size_bytes: bytes.length })
    .onConflict((conflict) => conflict.column("name_key").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) return null;
  await db.insertInto("emoji_files").values({ emoji_id: row.id, bytes }).execute();
  return row.id;
}

export async function deleteEmoji(db: Db, id: number): Promise<void> {
  await db.deleteFrom("emoji").where("id", "=", id).execute();
}

export async function findEmojiBytes(db: Db, id: number): Promise<Uint8Array | null> {
  const row = await db.selectFrom("emoji_files").select("bytes").where("emoji_id", "=", id).executeTakeFirst();
  return row?.bytes ?? null;
}

/** Removes the user from these emoji. */
export async function disownEmoji(db: Db, ids: readonly number[]): Promise<void> {
  await db.updateTable("emoji").set({ user_id: null }).where("id", "in", ids).execute();
}

/** Returns the emoji whose name has this key, also a hidden one. */
export const findKey = (db: Db, key: string): Promise<{ name: string; import_id: number | null } | undefined> =>
  db.selectFrom("emoji").select(["name", "import_id"]).where("name_key", "=", key).executeTakeFirst();

export async function showImported(db: Db, importId: number): Promise<void> {
  await db.updateTable("emoji").set({ is_hidden: 0 }).where("import_id", "=", importId).execute();
}

/** Returns false if the import has brought none. */
export async function deleteImported(db: Db, importId: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("emoji").where("import_id", "=", importId).executeTakeFirst();
  return numDeletedRows > 0n;
}
