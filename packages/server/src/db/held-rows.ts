import type { Kysely, SelectQueryBuilder } from "kysely";
import { isSqlite } from "./is-sqlite.ts";
import type { Tables } from "./tables.ts";

/**
 * The rows a query finds, held in its order until the transaction ends, so that what is decided by them still is so when it is written. Of
 * SQLite one writer holds everything anyway, and the order is left out: where rows are asked for by a list in whose order they shall come,
 * SQLite compiles the statement anew for each list.
 */
export function heldRows<T extends keyof Tables, O>(
  db: Kysely<Tables>,
  query: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> {
  return isSqlite(db) ? query.clearOrderBy() : query.forUpdate();
}
