import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

type Db = Kysely<Tables>;

export async function deleteAllStickers(db: Db, userId: number, now: number): Promise<void> {
  await db
    .updateTable("stickers")
    .set({ deleted_at: now })
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .execute();
}

/** Returns ids of the user's stickers after that one, including deleted ones. */
export async function stickerIdsAfter(db: Db, userId: number, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("stickers")
    .select("id")
    .where("user_id", "=", userId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
