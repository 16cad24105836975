import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";
import { isSqlite } from "./dialect.ts";

/**
 * The database's own time in epoch milliseconds, for what several nodes compare: their clocks may differ. It is the
 * time of the statement, also inside a transaction.
 */
export const databaseTime = (db: Db): RawBuilder<number> =>
  isSqlite(db)
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
