import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Kysely } from "kysely";
import type { Clock } from "../../clock.ts";
import type { Db } from "../db.ts";
import { guardedDialect } from "../guarded-dialect.ts";
import { migrate } from "../migrate.ts";
import { MIGRATIONS } from "../migrations/migrations.ts";
import { readSchema, refuseNewer } from "../schema-number.ts";
import { createPrivateFile, holdServerLock, tryServerLock } from "../server-lock.ts";
import { noRoom, StartupError } from "../startup-error.ts";
import type { Tables } from "../tables/tables.ts";
import { Checkpoints } from "./checkpoints.ts";
import { bunSqliteDialect } from "./driver.ts";
import { LogFile, LogSync } from "./log-sync.ts";

/**
 * Pages at which the log is checkpointed (32 MB). SQLite's own 1,000 would add two syncs every few commits, which write
 * the same pages of ledgers and indexes again and again.
 */
const CHECKPOINT_PAGES = 8_000;

export interface SqliteOptions {
  /** A server holds the file's lock while it runs; a tool works without it. */
  mode: "server" | "tool";
  onFatal: (error: unknown) => void;
  /** Pages at which a server's log is checkpointed; for tests. */
  checkpointPages?: number;
  /** True: the replica checkpoints (replica/replica.ts). The connection's own checkpoints remain for the worst case. */
  isReplicated?: boolean;
  /** The content of a database in memory; for tests. */
  image?: Uint8Array;
}

/** Opens the file, creates it if it is missing, and migrates its schema to this build. */
export async function openSqlite(path: string, clock: Clock, options: SqliteOptions) {
  const place = path === ":memory:" ? path : prepareFile(path);
  const lock = options.mode === "server" && place !== ":memory:" ? holdServerLock(place) : undefined;
  let database: Database | undefined;
  let db: Db | undefined;
  let reportFatal = (_error: unknown) => {}; // until it is open, the refusal below reports it
  const onFatal = (error: unknown) => reportFatal(error);
  // A tool has no event loop to keep free: SQLite syncs its commits.
  const log = lock && new LogSync(new LogFile(place), onFatal);
  try {
    database = openFile(place, log === undefined ? "full" : "normal", options.image);
    let checkpoints: Checkpoints | undefined;
    const onCommit = () => {
      log?.committed();
      checkpoints?.committed();
    };
    const dialect = bunSqliteDialect(database, clock, { onFatal, onCommit });
    db = new Kysely<Tables>({ dialect: guardedDialect(dialect, { single: true, settled: () => log?.settled() }) });
    await migrateFile(db, database, place, clock, options.mode);
    // From here on the driver waits for locks: SQLite's own waiting would block the event loop.
    database.run("pragma busy_timeout = 0");
    reportFatal = options.onFatal;
    if (log !== undefined) {
      const { checkpointPages = CHECKPOINT_PAGES, isReplicated = false } = options;
      database.run(`pragma wal_autocheckpoint = ${2 * checkpointPages}`);
      if (!isReplicated) checkpoints = new Checkpoints(place, database, checkpointPages, onFatal);
    }
    return { db, close: closer(db, checkpoints, log, lock) };
  } catch (error) {
    await db?.destroy();
    // Kysely closes only a database that it has queried.
    database?.close();
    await log?.close();
    lock?.[Symbol.dispose]();
    throw error instanceof SQLiteError ? unreadable(place, error) : error;
  }
}

function closer(
  db: Db,
  checkpoints: Checkpoints | undefined,
  log: LogSync | undefined,
  lock: Disposable | undefined,
): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= Promise.resolve(checkpoints?.close())
      .finally(() => db.destroy())
      .finally(() => log?.close())
      .finally(() => lock?.[Symbol.dispose]());
    return closed;
  };
}

/**
 * Creates folder and file for this user only, and throws a clear error if they are not writable. Returns the file's
 * real path.
 */
function prepareFile(path: string): string {
  const wanted = resolve(path);
  const folder = dirname(wanted);
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isFile()) throw new Error("it is a file, not a folder");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(`The data folder ${folder}`, error);
  }
  try {
    createPrivateFile(wanted);
    if (!statSync(wanted).isFile()) throw new Error("it is not a file");
    accessSync(wanted, constants.R_OK | constants.W_OK);
    // Two names of one file (a symbolic link) must use the same lock.
    return realpathSync(wanted);
  } catch (error) {
    throw unwritable(`The database file ${wanted}`, error);
  }
}

function unwritable(what: string, error: unknown): StartupError {
  const reason = error instanceof Error ? error.message : String(error);
  return (
    noRoom(what.replace(/^The/, "the"), error) ??
    new StartupError(
      `${what} cannot be written: ${reason}. Give the user that runs Parley write access, or choose another place with PARLEY_DATA_DIR or DATABASE_URL.`,
      error,
    )
  );
}

/**
 * With `full`, a commit is on disk when it returns. With `normal`, it is whole or absent after a power loss, and
 * LogSync syncs it before it is acknowledged.
 */
function openFile(path: string, synchronous: "full" | "normal", image?: Uint8Array): Database {
  const database = image === undefined ? new Database(path) : Database.deserialize(image);
  try {
    // First, because any other statement reads the schema, which a process that closes the file may have locked.
    database.run("pragma busy_timeout = 2000");
    refuseOldSqlite(String(database.query<{ v: string }, []>("select sqlite_version() as v").get()?.v));
    // With the log, a commit needs one sync.
    database.run("pragma journal_mode = wal");
    database.run(`pragma synchronous = ${synchronous}`);
    database.run("pragma foreign_keys = on");
    database.run("pragma journal_size_limit = 67108864");
    database.run("pragma temp_store = memory");
    // Ledgers and indexes are written all over: SQLite's default cache of 2 MB would be reloaded again and again.
    database.run("pragma cache_size = -32768");
    database.run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return database;
  } catch (error) {
    database.close();
    if (error instanceof StartupError) throw error;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): StartupError {
  if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) {
    return new StartupError(`${path} is busy: another program is writing to it. Try again in a moment.`, error);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return (
    noRoom(path, error) ??
    new StartupError(
      `${path} cannot be used as a database: ${reason}. If it is Parley's database, restore a backup; otherwise move it away.`,
      error,
    )
  );
}

/**
 * Throws on older versions, which can lose commits when another connection checkpoints (the WAL-reset bug, fixed in
 * 3.51.3).
 */
export function refuseOldSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major * 1e6 + minor * 1e3 + patch >= 3_051_003) return;
  throw new StartupError(
    `SQLite ${version} can lose committed data; Parley needs 3.51.3 or newer. Use the Bun that Parley pins.`,
  );
}

/** Migrates the file unless it is current. A tool may do so as long as no server runs on the old schema. */
async function migrateFile(
  db: Db,
  database: Database,
  path: string,
  clock: Clock,
  mode: SqliteOptions["mode"],
): Promise<void> {
  const names = database.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all();
  const hasMeta = names.some(({ name }) => name === "meta");
  if (!hasMeta && names.length > 0) {
    throw new StartupError(
      `${path} is another program's database. Choose another place with PARLEY_DATA_DIR or DATABASE_URL.`,
    );
  }
  const found = hasMeta ? await readSchema(db) : { schema: 0, floor: 0 };
  refuseNewer(found, MIGRATIONS.length);
  if (found.schema >= MIGRATIONS.length) return;
  if (mode === "server" || path === ":memory:") return migrate(db, "sqlite", MIGRATIONS, clock);
  const lock = tryServerLock(path);
  if (lock === null) {
    throw new StartupError(
      `The Parley server that uses ${path} is starting or has an older version. Try again in a moment, or stop it first.`,
    );
  }
  try {
    await migrate(db, "sqlite", MIGRATIONS, clock);
  } finally {
    lock[Symbol.dispose]();
  }
}
