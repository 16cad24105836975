import { type Kysely, SqliteAdapter } from "kysely";
import type { Tables } from "./tables/tables.ts";

/** Returns true if the database is SQLite. */
export const isSqlite = (db: Kysely<Tables>): boolean => db.getExecutor().adapter instanceof SqliteAdapter;
