import type { Insertable, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import type { ErasuresTable } from "../db/tables/accounts.ts";

export type ErasureRow = Selectable<ErasuresTable>;

export async function insertErasure(db: Db, row: Insertable<ErasuresTable>): Promise<void> {
  await db.insertInto("erasures").values(row).execute();
}

/** Lists pending erasures, oldest first. */
export function listErasures(db: Db, limit: number): Promise<ErasureRow[]> {
  return db.selectFrom("erasures").selectAll().orderBy("started_at").orderBy("user_id").limit(limit).execute();
}

type Stand = Pick<ErasureRow, "user_id" | "step" | "place_a" | "place_b">;

const at = (db: Db, { user_id, step, place_a, place_b }: Stand) =>
  db
    .updateTable("erasures")
    .where("user_id", "=", user_id)
    .where("step", "=", step)
    .where("place_a", "=", place_a)
    .where("place_b", "=", place_b);

/** Locks the row until the transaction ends; false when its progress has changed because another node was first. */
export async function lockErasure(db: Db, row: Stand): Promise<boolean> {
  const { numUpdatedRows } = await at(db, row).set({ step: row.step }).executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function moveErasure(db: Db, from: Stand, to: Omit<Stand, "user_id">): Promise<void> {
  await at(db, from).set(to).execute();
}

export async function deleteErasure(db: Db, userId: number): Promise<void> {
  await db.deleteFrom("erasures").where("user_id", "=", userId).execute();
}
