import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { noRoom, StartupError } from "./startup-error.ts";

/** The time a stopping server may need to release the lock. */
const WAIT_MS = 250;

/** Keeps the garbage collector from closing a lock that its owner no longer references. */
const held = new Set<Database>();

/**
 * Allows one server per file. The lock is the operating system's, on a second file: SQLite holds it open in an
 * exclusive transaction, and the kernel drops it when the process ends in any way. So a lock file left by a crash has
 * no effect, and the command line can use the database while the server runs.
 *
 * Nothing else in this process may open the lock file: closing any handle on it would drop the lock.
 */
export function holdServerLock(databasePath: string): Disposable {
  const lock = tryServerLock(databasePath, WAIT_MS);
  if (lock !== null) return lock;
  throw new StartupError(
    `Another Parley server is using ${databasePath}. Stop it, or give this one its own data folder (PARLEY_DATA_DIR) or DATABASE_URL.`,
  );
}

/** Returns the lock; null if a server holds it. */
export function tryServerLock(databasePath: string, waitMs = 0): Disposable | null {
  const path = `${databasePath}.lock`;
  let lock: Database | undefined;
  try {
    createPrivateFile(path);
    lock = new Database(path);
    lock.run(`pragma busy_timeout = ${waitMs}`);
    lock.run("begin exclusive");
  } catch (error) {
    lock?.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw (
      noRoom(path, error) ??
      new StartupError(
        `${path} cannot be locked: ${reason}. Make it writable for the user that runs Parley, or delete it while no server runs.`,
        error,
      )
    );
  }
  const taken = lock;
  held.add(taken);
  return {
    [Symbol.dispose]: () => {
      held.delete(taken);
      taken.close();
    },
  };
}

/**
 * Creates an empty file that only this user can read; SQLite gives its side files the same mode. An existing file is
 * not even opened: closing it would drop every lock that this process holds on it through SQLite.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
