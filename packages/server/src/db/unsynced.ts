import { CompiledQuery, type Kysely } from "kysely";
import { isSqlite } from "./is-sqlite.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;

const UNSYNCED = CompiledQuery.raw("pragma synchronous = normal");
const SYNCED = CompiledQuery.raw("pragma synchronous = full");

/**
 * Makes one write that may be lost if the machine itself fails in the next moment, such as a reservation of which nothing has come yet: it
 * does not wait for the disk. Every commit after it brings it there first, so nothing that stands on it can be there without it. Not for use
 * in a transaction. PostgreSQL waits all the same: saying so would take it as long.
 */
export async function unsynced<T>(db: Db, write: (db: Db) => Promise<T>): Promise<T> {
  if (!isSqlite(db)) return write(db);
  return db.connection().execute(async (db) => {
    await db.executeQuery(UNSYNCED);
    try {
      return await write(db);
    } finally {
      await db.executeQuery(SYNCED);
    }
  });
}
