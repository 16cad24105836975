import { type RawBuilder, type SelectQueryBuilder, SqliteAdapter, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Tables } from "./tables/tables.ts";

/** Returns true if the database is SQLite. */
export const isSqlite = (db: Db): boolean => db.getExecutor().adapter instanceof SqliteAdapter;

/**
 * Returns true if every statement is a round trip to another process, so that a transaction of several holds its locks
 * while the network carries them, and several transactions run at once.
 */
export const hasRoundTrips = (db: Db): boolean => !isSqlite(db);

/**
 * Locks the rows that a query finds, in its order, until the transaction ends, so that decisions based on them still
 * hold at the write. On SQLite the single writer already locks everything, so the order is left out: if rows are
 * ordered by a list of values, SQLite compiles the statement again for each list.
 */
export function lockRows<T extends keyof Tables, O>(
  db: Db,
  query: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> {
  return isSqlite(db) ? query.clearOrderBy() : query.forUpdate();
}

/**
 * Locks the rows that a query finds against changes and removal until the transaction ends. Others may meanwhile insert
 * rows that refer to them. On SQLite, and outside a transaction, it only reads.
 */
export function holdRows<T extends keyof Tables, O>(
  db: Db,
  query: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> {
  return isSqlite(db) || !db.isTransaction ? query : query.forNoKeyUpdate();
}

/**
 * The database's own time in epoch milliseconds, for what several nodes compare: their clocks may differ. It is the
 * time of the statement, also inside a transaction.
 */
export const databaseTime = (db: Db): RawBuilder<number> =>
  isSqlite(db)
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
