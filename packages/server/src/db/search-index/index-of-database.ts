import { type Kysely, SqliteAdapter } from "kysely";
import type { Tables } from "../tables/tables.ts";
import { postgresSearchIndex } from "./postgres.ts";
import type { SearchIndex } from "./search-index.ts";
import { sqliteSearchIndex } from "./sqlite.ts";

/** Returns the index of this database. */
export function searchIndex(db: Kysely<Tables>): SearchIndex {
  return db.getExecutor().adapter instanceof SqliteAdapter ? sqliteSearchIndex : postgresSearchIndex;
}
