import type { Insertable } from "kysely";
import type { Db } from "../db/db.ts";
import { isItem } from "../db/statements/item-kind.ts";
import { PADDED_MAX, padded, SizedStatement } from "../db/statements/sized-statement.ts";
import type { ImportItemsTable } from "../db/tables/imports.ts";

export type ItemKind = ImportItemsTable["kind"];
type Key = Pick<ImportItemsTable, "source" | "kind" | "source_id">;

const NO_ITEM: Insertable<ImportItemsTable> = {
  source: "",
  kind: "message",
  source_id: "",
  parley_id: 0,
  content_hash: null,
  import_id: 0,
};

const INSERT = new SizedStatement(NO_ITEM, (db, rows) => db.insertInto("import_items").values(rows).compile());

/** Notes what things of the source have become. Throws a unique violation if one of them is in the map. */
export const insertItems = (db: Db, rows: readonly Insertable<ImportItemsTable>[]): Promise<unknown> =>
  INSERT.run(db, rows);

/** Returns the ids that these things of the source have in Parley, by their source ids. */
export async function idsOfItems(
  db: Db,
  source: string,
  kind: ItemKind,
  sourceIds: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let from = 0; from < sourceIds.length; from += PADDED_MAX) {
    const some = sourceIds.slice(from, from + PADDED_MAX);
    const rows = await db
      .selectFrom("import_items")
      .select(["source_id", "parley_id"])
      .where("source", "=", source)
      .where("kind", "=", kind)
      .where("source_id", "in", padded(some, some[0] ?? ""))
      .execute();
    for (const { source_id, parley_id } of rows) found.set(source_id, parley_id);
  }
  return found;
}

export interface Item extends Key {
  parley_id: number;
  import_id: number;
}

/** Returns a page of the map of one kind, in the order of the source ids, behind `after`. */
export function itemsAfter(
  db: Db,
  { source, kind, source_id }: Key,
  { limit, importId }: { limit: number; importId?: number },
): Promise<Item[]> {
  return db
    .selectFrom("import_items")
    .select(["source", "kind", "source_id", "parley_id", "import_id"])
    .where("source", "=", source)
    .where("kind", "=", kind)
    .where("source_id", ">", source_id)
    .$if(importId !== undefined, (all) => all.where("import_id", "=", importId ?? 0))
    .orderBy("source_id")
    .limit(limit)
    .execute();
}

/** Selects what became this user. */
export const userItems = (db: Db, userId: number) =>
  db
    .selectFrom("import_items")
    .select(["source", "kind", "source_id"])
    .where(isItem("user"))
    .where("parley_id", "=", userId);

/** Gives a thing of the map another source id. */
export async function renameItem(db: Db, { source, kind, source_id }: Key, to: string): Promise<void> {
  await db
    .updateTable("import_items")
    .set({ source_id: to })
    .where("source", "=", source)
    .where("kind", "=", kind)
    .where("source_id", "=", source_id)
    .execute();
}

/** Removes things from the map: they may be taken again. */
export async function deleteItems(db: Db, source: string, kind: ItemKind, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await db
    .deleteFrom("import_items")
    .where("source", "=", source)
    .where("kind", "=", kind)
    .where("source_id", "in", sourceIds)
    .execute();
}

/** Returns the salt of the hashes of a source; empty if it has no import. */
export async function saltOf(db: Db, source: string): Promise<string> {
  const row = await db
    .selectFrom("imports")
    .select("salt")
    .where("source", "=", source)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.salt ?? "";
}
