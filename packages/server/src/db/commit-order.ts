import { CompiledQuery } from "kysely";
import type { Db } from "./db.ts";
import { isSqlite } from "./dialect.ts";

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
