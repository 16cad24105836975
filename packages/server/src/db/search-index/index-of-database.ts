import type { Db } from "../db.ts";
import { isSqlite } from "../dialect.ts";
import { postgresSearchIndex } from "./postgres.ts";
import type { SearchIndex } from "./search-index.ts";
import { sqliteSearchIndex } from "./sqlite.ts";

/** Returns the index of this database. */
export const searchIndex = (db: Db): SearchIndex => (isSqlite(db) ? sqliteSearchIndex : postgresSearchIndex);
