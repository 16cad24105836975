import { type Kysely, SqliteAdapter } from "kysely";
import type { Tables } from "./tables.ts";

/** Which of the two dialects speaks here. */
export const isSqlite = (db: Kysely<Tables>): boolean => db.getExecutor().adapter instanceof SqliteAdapter;
