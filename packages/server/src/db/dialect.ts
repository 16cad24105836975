import { CompiledQuery, type RawBuilder, type SelectQueryBuilder, SqliteAdapter, sql } from "kysely";
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
 * Like `holdRows`, but any number of transactions may hold the rows at once. For rows that many read and few change: who
 * changes them waits for all that hold them.
 */
export function shareRows<T extends keyof Tables, O>(
  db: Db,
  query: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> {
  return isSqlite(db) || !db.isTransaction ? query : query.forShare();
}

/**
 * The database's own time in epoch milliseconds, for what several nodes compare: their clocks may differ. It is the
 * time of the statement, also inside a transaction.
 */
export const databaseTime = (db: Db): RawBuilder<number> =>
  isSqlite(db)
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Locks are few, because one statement may concern any number of keys and PostgreSQL's lock table is small. */
const STRIPES = 64;
/** The first half of the keys of these advisory locks. */
const ORDER_LOCK = 1_768_842_095;

/**
 * SQL that takes the locks of the keys in the column `key` of `from`, in one order. They are held until the commit.
 * PostgreSQL only.
 */
export const orderLocks = (from: string): string =>
  `select pg_advisory_xact_lock(${ORDER_LOCK}, stripe) from (
      select distinct (key % ${STRIPES})::integer as stripe from ${from} order by stripe
    ) as stripes`;

const LOCK = orderLocks("unnest($1::bigint[]) as keys (key)");

/**
 * Waits for the other transactions that called this with the same keys, until they have ended. What is inserted
 * afterwards for a key gets ids that ascend in the order of commit, so that a reader who has seen an id finds nothing
 * new below it. SQLite has one writer, so there it does nothing.
 */
export async function inCommitOrder(db: Db, keys: readonly number[]): Promise<void> {
  if (isSqlite(db)) return;
  if (!db.isTransaction) throw new Error("An order of commits needs a transaction.");
  await db.executeQuery(CompiledQuery.raw(LOCK, [[...new Set(keys)]]));
}
