import { Database } from "bun:sqlite";
import { StartupError } from "./startup-error.ts";

/** A server that has just been told to stop may need a moment to let go. */
const WAIT_MS = 250;

/**
 * One server per file. The lock is the operating system's, taken on a second file: SQLite holds it open in an exclusive
 * transaction, and the kernel drops it with the process, however that ends. So the file left behind by a crash means nothing,
 * and the command line can use the database itself beside the server.
 *
 * The lock file must never be opened by anything else in this process: closing any handle on it would drop the lock.
 */
export function holdServerLock(databasePath: string): Disposable {
  const lock = tryServerLock(databasePath, WAIT_MS);
  if (lock !== null) return lock;
  throw new StartupError(
    `Another Parley server is using ${databasePath}. Stop it, or give this one its own data folder (PARLEY_DATA_DIR) or DATABASE_URL.`,
  );
}

/** The lock, or null when a server holds it. */
export function tryServerLock(databasePath: string, waitMs = 0): Disposable | null {
  const lock = new Database(`${databasePath}.lock`);
  try {
    lock.run(`pragma busy_timeout = ${waitMs}`);
    lock.run("begin exclusive");
  } catch (error) {
    lock.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") return null;
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}
