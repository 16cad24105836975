import type { Insertable, Selectable } from "kysely";
import type { Db } from "../db/db.ts";
import { isItem } from "../db/statements/item-kind.ts";
import type { ImportsTable } from "../db/tables/imports.ts";

export type ImportRow = Selectable<ImportsTable>;

export async function insertImport(db: Db, row: Insertable<ImportsTable>): Promise<number> {
  const made = await db.insertInto("imports").values(row).returning("id").executeTakeFirstOrThrow();
  return made.id;
}

export async function findImport(db: Db, id: number): Promise<ImportRow | null> {
  return (await db.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** Returns the imports, the oldest first; only those of this source if one is given. */
export function listImports(db: Db, source?: string): Promise<ImportRow[]> {
  const all = db.selectFrom("imports").selectAll().orderBy("id");
  return (source === undefined ? all : all.where("source", "=", source)).execute();
}

/** Returns the newest imports, the newest first. */
export const newestImports = (db: Db, limit: number): Promise<ImportRow[]> =>
  db.selectFrom("imports").selectAll().orderBy("id", "desc").limit(limit).execute();

/**
 * Changes an import that is in this state and, if `place` is given, at this place. Returns false if it is not: another
 * process works on it.
 */
export async function moveImport(
  db: Db,
  { id, status, place }: Pick<ImportRow, "id" | "status"> & { place?: number },
  to: Partial<Pick<ImportRow, "status" | "place" | "counts" | "left_out" | "opened_at" | "undone_at">>,
): Promise<boolean> {
  const query = db.updateTable("imports").set(to).where("id", "=", id).where("status", "=", status);
  const { numUpdatedRows } = await (place === undefined ? query : query.where("place", "=", place)).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The ids of an import's messages. */
export interface Block {
  first_id: number;
  last_id: number;
}

/** Returns the ids that an import reserved for its messages; null if it has none yet. */
export async function blockOf(db: Db, importId: number): Promise<Block | null> {
  const query = db.selectFrom("import_blocks").select(["first_id", "last_id"]).where("import_id", "=", importId);
  return (await query.executeTakeFirst()) ?? null;
}

export async function insertBlock(db: Db, importId: number, { first_id, last_id }: Block): Promise<void> {
  await db.insertInto("import_blocks").values({ first_id, last_id, import_id: importId }).execute();
}

/** Returns the ids of what an import made of one kind, in order. */
export async function madeBy(db: Db, importId: number, kind: "user" | "agent" | "channel"): Promise<number[]> {
  const rows = await db
    .selectFrom("import_items")
    .select("parley_id")
    .where("import_id", "=", importId)
    .where(isItem(kind))
    .orderBy("parley_id")
    .execute();
  return rows.map(({ parley_id }) => parley_id);
}

/** Returns the sources of open imports, the newest first. */
export async function openedSources(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("imports")
    .select("source")
    .where("status", "=", "done")
    .orderBy("id", "desc")
    .execute();
  return [...new Set(rows.map(({ source }) => source))];
}
