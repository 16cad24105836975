import { Database } from "bun:sqlite";
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../clock.ts";
import { type DatabaseFacts, inspectSqliteFile } from "./inspect.ts";
import { refuseNewer } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { tryServerLock } from "./server-lock.ts";
import { StartupError } from "./startup-error.ts";

/** Writes the state of one moment to a new file, beside a running server, and checks the copy. */
export function backupSqlite(path: string, target: string): DatabaseFacts {
  if (!existsSync(path)) throw new StartupError(`There is no database at ${path} yet.`);
  if (existsSync(target)) throw new StartupError(`${target} exists already; name a new file.`);
  try {
    // Only this user may read it: it holds hashes of passwords and of keys.
    closeSync(openSync(target, "wx", 0o600));
    {
      using database = new Database(path);
      database.run("pragma busy_timeout = 10000");
      database.run("vacuum into ?", [target]);
    }
    syncFile(target);
    return soundFacts(target);
  } catch (error) {
    rmSync(target, { force: true });
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `The backup could not be written: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

export interface Restored {
  facts: DatabaseFacts;
  epoch: string;
  /** Where the database that was there before is now; null when there was none. */
  kept: string | null;
}

/**
 * Puts a backup in the place of the database. The new file is complete and on the disk before it takes the name, so that an
 * interruption leaves the old one or the new one. It gets a new epoch: clients must not resume by numbers that mean other messages now.
 */
export function restoreSqlite(source: string, path: string, clock: Clock): Restored {
  if (!existsSync(source)) throw new StartupError(`There is no file ${source}.`);
  const facts = soundFacts(source);
  refuseNewer(facts.schema, MIGRATIONS.length);
  const lock = tryServerLock(path);
  if (lock === null) throw new StartupError(`A Parley server is using ${path}. Stop it, then restore.`);
  const fresh = `${path}.restoring`;
  try {
    copyFileSync(source, fresh);
    const epoch = Buffer.from(clock.random(12)).toString("hex");
    {
      using database = new Database(fresh);
      database.run("pragma synchronous = full");
      database.run("update meta set value = ? where key = 'epoch'", [epoch]);
    }
    syncFile(fresh);
    const kept = existsSync(path) ? setAside(path, clock) : null;
    renameSync(fresh, path);
    syncFile(dirname(path));
    return { facts, epoch, kept };
  } finally {
    rmSync(fresh, { force: true });
    lock[Symbol.dispose]();
  }
}

/** Takes what is in the log into the file, so that it is whole under its new name. */
function setAside(path: string, clock: Clock): string {
  {
    using database = new Database(path);
    database.run("pragma wal_checkpoint(truncate)");
  }
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  const kept = `${path}.before-restore-${new Date(clock.now()).toISOString().replaceAll(":", "-")}`;
  renameSync(path, kept);
  return kept;
}

/** The facts of a file that is Parley's and undamaged. */
function soundFacts(file: string): DatabaseFacts {
  let facts: DatabaseFacts | null;
  try {
    facts = inspectSqliteFile(file, true);
  } catch (error) {
    throw new StartupError(
      `${file} cannot be read as a database: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
  if (facts === null || facts.schema === 0) throw new StartupError(`${file} is not a database of Parley.`);
  if (facts.damage !== "") throw new StartupError(`${file} is damaged: ${facts.damage}`);
  return facts;
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
