import type { Kysely } from "kysely";
import { isSqlite } from "../dialect.ts";
import type { Tables } from "../tables/tables.ts";
import { postgresSearchIndex } from "./postgres.ts";
import type { SearchIndex } from "./search-index.ts";
import { sqliteSearchIndex } from "./sqlite.ts";

/** Returns the index of this database. */
export const searchIndex = (db: Kysely<Tables>): SearchIndex =>
  isSqlite(db) ? sqliteSearchIndex : postgresSearchIndex;
