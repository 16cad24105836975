import { Database, SQLiteError } from "bun:sqlite";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { isoTime } from "../base/iso-time.ts";
import type { Clock } from "../clock.ts";
import { type DatabaseFacts, inspectSqliteFile } from "./inspect.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { refuseNewer } from "./schema-number.ts";
import { tryServerLock } from "./server-lock.ts";
import { StartupError } from "./startup-error.ts";

/** Writes a snapshot of the database to a new file, also while a server runs, and checks the copy. */
export function backupSqlite(path: string, target: string): DatabaseFacts {
  if (!existsSync(path)) throw new StartupError(`There is no database at ${path} yet.`);
  if (existsSync(target)) throw new StartupError(`${target} already exists. Choose a new file.`);
  if (!existsSync(dirname(target))) throw new StartupError(`There is no folder ${dirname(target)}. Create it first.`);
  let isOurs = false;
  try {
    // Only this user may read it: it holds password and key hashes.
    closeSync(openSync(target, "wx", 0o600));
    isOurs = true;
    {
      using database = new Database(path);
      database.run("pragma busy_timeout = 10000");
      database.run("vacuum into ?", [target]);
    }
    syncFile(target);
    return soundFacts(target);
  } catch (error) {
    if (isOurs) rmSync(target, { force: true });
    throw refusal("The backup could not be written", error);
  }
}

export interface Restored {
  facts: DatabaseFacts;
  epoch: string;
  /** The path of the replaced database; null if there was none. */
  kept: string | null;
}

/**
 * Replaces the database with a backup, as `replaceSqlite` does. `settle` may change the copy before it takes the name.
 */
export async function restoreSqlite(
  source: string,
  wanted: string,
  clock: Clock,
  settle: (fresh: string) => Promise<void> = async () => {},
): Promise<Restored> {
  const path = existsSync(wanted) ? realpathSync(wanted) : wanted;
  // Both paths are moved or overwritten below.
  if (isSameFile(source, path) || isSameFile(source, draftOf(path))) {
    throw new StartupError(
      `${source} belongs to the database at ${path} and is not a backup of it. Choose another file.`,
    );
  }
  const facts = backupFacts(source);
  const replaced = await replaceSqlite(path, clock, async (fresh) => {
    copyFileSync(source, fresh);
    await settle(fresh);
  });
  return { facts, ...replaced };
}

const draftOf = (path: string): string => `${path}.restoring`;

/**
 * Replaces the database with one that `make` writes to a new path. The new file is complete and on disk before it takes
 * the name, so an interruption leaves the old one or the new one. It gets a new epoch: clients must not resume by
 * numbers that now mean other messages. Throws a `StartupError` while a server runs.
 */
export async function replaceSqlite(
  wanted: string,
  clock: Clock,
  make: (fresh: string) => Promise<void>,
): Promise<Pick<Restored, "epoch" | "kept">> {
  const path = existsSync(wanted) ? realpathSync(wanted) : wanted;
  const fresh = draftOf(path);
  makeFolder(dirname(path));
  const lock = tryServerLock(path);
  if (lock === null) throw new StartupError(`A Parley server is using ${path}. Stop it, then restore.`);
  try {
    removeDraft(fresh);
    // Only this user may read it: it holds password and key hashes.
    closeSync(openSync(fresh, "wx", 0o600));
    await make(fresh);
    const epoch = newEpoch(clock);
    {
      using database = new Database(fresh);
      database.run("pragma synchronous = full");
      database.run("update meta set value = ? where key = 'epoch'", [epoch]);
      database.run("pragma wal_checkpoint(truncate)");
    }
    syncFile(fresh);
    const kept = existsSync(path) ? setAside(path, clock) : null;
    renameSync(fresh, path);
    syncFile(dirname(path));
    return { epoch, kept };
  } catch (error) {
    throw refusal("The database could not be restored", error);
  } finally {
    removeDraft(fresh);
    lock[Symbol.dispose]();
  }
}

function removeDraft(fresh: string): void {
  for (const end of ["", "-wal", "-shm", ".lock"]) rmSync(fresh + end, { force: true });
}

/** Compares the files, not the names: links lead to the same file. */
function isSameFile(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const [first, second] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
  return first.dev === second.dev && first.ino === second.ino;
}

/** Returns the facts of a backup that this build can read. */
export function backupFacts(source: string): DatabaseFacts {
  if (!existsSync(source)) throw new StartupError(`There is no file ${source}.`);
  const facts = soundFacts(source);
  refuseNewer(facts, MIGRATIONS.length);
  return facts;
}

export const newEpoch = (clock: Clock): string => Buffer.from(clock.random(12)).toString("hex");

/** Creates the folder on a new machine, as the server does. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refusal(`The data folder ${folder} cannot be created`, error);
  }
}

/**
 * Checkpoints the log into the file and links it under a second name. The first name stays until the new file takes it.
 * A file that SQLite cannot read keeps its log, under the same second name.
 */
function setAside(path: string, clock: Clock): string {
  const kept = `${path}.before-restore-${isoTime(clock.now()).replaceAll(":", "-")}`;
  if (!isCheckpointed(path) && existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`);
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  try {
    linkSync(path, kept);
  } catch {
    // The file system has no links: for a moment no file has the first name.
    renameSync(path, kept);
  }
  return kept;
}

/** Copies all of the log into the file. Returns false if the file is no database, which may be why another one is restored. */
function isCheckpointed(path: string): boolean {
  try {
    using database = new Database(path);
    database.run("pragma wal_checkpoint(truncate)");
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code ?? "")) return false;
    throw error;
  }
}

/** Returns the facts of an undamaged Parley database. */
function soundFacts(file: string): DatabaseFacts {
  let facts: DatabaseFacts | null;
  try {
    facts = inspectSqliteFile(file, true);
  } catch (error) {
    throw refusal(`${file} cannot be read as a database`, error);
  }
  if (facts === null || facts.schema === 0) throw new StartupError(`${file} is not a Parley database.`);
  if (facts.damage !== "") throw new StartupError(`${file} is damaged: ${facts.damage}`);
  return facts;
}

export function refusal(what: string, error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  return new StartupError(`${what}: ${error instanceof Error ? error.message : String(error)}`, error);
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
