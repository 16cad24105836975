import type { Insertable, Selectable } from "kysely";
import { userNamed } from "../accounts/names/user-named.ts";
import type { Db } from "../db/db.ts";
import type { StickersTable } from "../db/tables/files.ts";

/** A sticker with the name of its maker. */
export type StickerRow = Selectable<StickersTable> & { username: string };

const stickerRows = (db: Db) =>
  db
    .selectFrom("stickers")
    .innerJoin("users", "users.id", "stickers.user_id")
    .selectAll("stickers")
    .select("users.username");

/** Finds a sticker, deleted or not. */
export function findSticker(db: Db, id: number): Promise<StickerRow | undefined> {
  return stickerRows(db).where("stickers.id", "=", id).executeTakeFirst();
}

/** Finds the user's sticker with these bytes that is not deleted. */
export function findOwnSticker(db: Db, userId: number, sha256: string): Promise<StickerRow | undefined> {
  return stickerRows(db)
    .where("stickers.user_id", "=", userId)
    .where("stickers.sha256", "=", sha256)
    .where("stickers.deleted_at", "is", null)
    .executeTakeFirst();
}

/** Lists the user's stickers in the order they were made. */
export function stickersOf(db: Db, userId: number): Promise<StickerRow[]> {
  return stickerRows(db)
    .where("stickers.user_id", "=", userId)
    .where("stickers.deleted_at", "is", null)
    .orderBy("stickers.id")
    .execute();
}

/** Returns the user of that name, in its stored spelling. */
export function findMaker(db: Db, username: string): Promise<{ id: number; username: string } | undefined> {
  return userNamed(db, username).select(["id", "username"]).executeTakeFirst();
}

/** Counts the user's stickers. */
export async function countStickers(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom("stickers")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Inserts a sticker and returns its id; null when the user already has these bytes. */
export async function insertSticker(
  db: Db,
  sticker: Omit<Insertable<StickersTable>, "id" | "deleted_at">,
  bytes: Uint8Array,
): Promise<number | null> {
  const row = await db
    .insertInto("stickers")
    .values({ ...sticker, deleted_at: null })
    .onConflict((conflict) => conflict.columns(["user_id", "sha256"]).where("deleted_at", "is", null).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) return null;
  await db.insertInto("sticker_files").values({ sticker_id: row.id, bytes }).execute();
  return row.id;
}

/** Marks a sticker as deleted; false when it already was. */
export async function markStickerDeleted(db: Db, id: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable("stickers")
    .set({ deleted_at: now })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function findStickerHash(db: Db, id: number): Promise<string | null> {
  return (await db.selectFrom("stickers").select("sha256").where("id", "=", id).executeTakeFirst())?.sha256 ?? null;
}

export async function findStickerBytes(db: Db, id: number): Promise<Uint8Array | null> {
  const row = await db.selectFrom("sticker_files").select("bytes").where("sticker_id", "=", id).executeTakeFirst();
  return row?.bytes ?? null;
}

/** Returns ids above `after` of stickers that were deleted before `before`. */
export async function deletedStickers(db: Db, after: number, before: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("stickers")
    .select("id")
    .where("deleted_at", "is not", null)
    .where("deleted_at", "<", before)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes those of the stickers that no message shows, with their bytes. */
export async function removeUnused(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .deleteFrom("stickers")
    .where("id", "in", ids)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("messages").select("messages.id").whereRef("messages.sticker_id", "=", "stickers.id"))),
    )
    .execute();
}
