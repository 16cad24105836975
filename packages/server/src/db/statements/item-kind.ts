import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ImportItemsTable } from "../tables/imports.ts";

/**
 * Returns a condition on `import_items`: rows of one kind. It says also that they are not messages, as the index of
 * everything but messages does: SQLite uses that index only if the statement has its very condition.
 */
export const isItem = (kind: Exclude<ImportItemsTable["kind"], "message">): RawBuilder<SqlBool> =>
  sql<SqlBool>`import_items.kind = ${sql.lit(kind)} and import_items.kind <> 'message'`;
