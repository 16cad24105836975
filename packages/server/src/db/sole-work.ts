import { CompiledQuery } from "kysely";
import type { Db } from "./db.ts";
import { isSqlite } from "./dialect.ts";
import { tryServerLock } from "./server-lock.ts";

/** The keys of these advisory locks. They belong to the whole database, in which other schemas may be of other servers. */
const KEYS = "1768842096, hashtext(current_schema() || '.' || $1::text)";

/** Another process does this work. */
export class WorkTaken extends Error {}

/**
 * Does work that only one process may do at a time on a database; throws `WorkTaken` if another one does it. The operating
 * system or the database ends the lock with its process, so a dead one holds nobody. With PostgreSQL it holds a
 * connection, so the pool needs two. `path`: of the database's file; null if it has none.
 */
export async function doAlone<T>(
  db: Db,
  { name, path }: { name: string; path: string | null },
  act: () => Promise<T>,
): Promise<T> {
  if (isSqlite(db)) return path === null || path === ":memory:" ? act() : withFile(`${path}.${name}`, act);
  return db.connection().execute(async (connection) => {
    const isFree = await connection.executeQuery<{ taken: boolean }>(
      CompiledQuery.raw(`select pg_try_advisory_lock(${KEYS}) as taken`, [name]),
    );
    if (isFree.rows[0]?.taken !== true) throw new WorkTaken();
    try {
      return await act();
    } finally {
      await connection.executeQuery(CompiledQuery.raw(`select pg_advisory_unlock(${KEYS})`, [name]));
    }
  });
}

async function withFile<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = tryServerLock(path);
  if (lock === null) throw new WorkTaken();
  try {
    return await act();
  } finally {
    lock[Symbol.dispose]();
  }
}
