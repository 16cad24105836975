import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { removeUnused } from "./stickers.store.ts";

const STICKERS = 50;

/** Deletes the user's stickers, so that nobody can send them. */
export const eraseStickers: ErasingStep = async (ctx, { userId }) => {
  await deleteAllStickers(ctx.db, userId, ctx.clock.now());
  return null;
};

/**
 * Removes the files of the user's stickers, except those that a message shows: like its text, the picture belongs to
 * the message, and stays without the user's name (protocol §4: messages sent before keep the picture). Runs after
 * `eraseStickers`.
 */
export const eraseStickerFiles: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const ids = await stickerIdsAfter(ctx.db, userId, after, STICKERS);
  if (ids.length > 0) await removeUnused(ctx.db, ids);
  return ids.length < STICKERS ? null : { a: ids.at(-1) ?? 0, b: 0 };
};

async function deleteAllStickers(db: Db, userId: number, now: number): Promise<void> {
  await db
    .updateTable("stickers")
    .set({ deleted_at: now })
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .execute();
}

/** Returns ids of the user's stickers after that one, including deleted ones. */
async function stickerIdsAfter(db: Db, userId: number, after: number, limit: number): Promise<number[]> {
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
