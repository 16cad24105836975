import type { Clock } from "../clock.ts";
import type { DatabaseConfig } from "../config/config.ts";
import { ForeignError } from "../errors.ts";
import type { Log } from "../logging/log.ts";
import type { DialectName } from "./columns.ts";
import type { Db } from "./db.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { openSqlite } from "./sqlite/sqlite.ts";

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Db;
  /**
   * Of a node of a cluster: a connection beside those of `db`, for what must not wait for requests. While it cannot
   * read the control log, the node serves nobody.
   */
  readonly vital?: Db | undefined;
  readonly dialect: DialectName;
}

export interface OpenOptions {
  /**
   * `server` (default) must be the only one on its database; `tool` is the command line, with or without a running
   * server.
   */
  mode?: "server" | "tool";
  /** True for a node of a cluster: other nodes may use the PostgreSQL database, too, but no lone server. */
  isShared?: boolean;
  /**
   * Called once, on an error after which nothing may be acknowledged (a failed sync, a broken file, another server on
   * the database). The process must end. On SQLite every later query throws that error.
   */
  onFatal?: (error: unknown) => void;
  /** Pages at which a server's SQLite log is checkpointed; for tests. */
  checkpointPages?: number;
  /** True: the replica checkpoints SQLite's log. */
  isReplicated?: boolean;
  /** Where migrations report their progress. */
  log?: Log;
  /** Connections to PostgreSQL; 10 when absent. */
  poolSize?: number;
}

/**
 * Opens the database and migrates its schema to this build. Throws a `StartupError` that says what to do if that fails.
 */
export async function openDatabase(
  config: DatabaseConfig,
  clock: Clock,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  const {
    mode = "server",
    isShared = false,
    onFatal = () => {},
    checkpointPages,
    isReplicated = false,
    poolSize,
    log,
  } = options;
  const opened: Pick<OpenDatabase, "db" | "vital"> & { close: () => Promise<void> } =
    config.kind === "sqlite"
      ? await openSqlite(config.path, clock, {
          mode,
          onFatal,
          isReplicated,
          ...(checkpointPages && { checkpointPages }),
        })
      : await openPostgres(config.url, clock, {
          ...(poolSize === undefined ? {} : { poolSize }),
          ...(log === undefined ? {} : { log }),
          ...(mode === "server" ? { onLost: onFatal, isShared } : {}),
        });
  const { db, vital, close } = opened;
  return { db, vital, dialect: config.kind, [Symbol.asyncDispose]: close };
}

/**
 * Returns the epoch, which names the incarnation of the data (protocol §8): a restart keeps it, a restore changes it.
 */
export async function readEpoch(db: Db): Promise<string> {
  const { value } = await db.selectFrom("meta").select("value").where("key", "=", "epoch").executeTakeFirstOrThrow();
  return value;
}

/**
 * Gives the data another epoch, because what was committed under this one is lost. Returns false if the epoch has
 * changed already.
 */
export async function replaceEpoch(db: Db, epoch: string, by: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("meta")
    .set({ value: by })
    .where("key", "=", "epoch")
    .where("value", "=", epoch)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * True if the row already exists. On PostgreSQL the error also aborts the transaction: prefer `on conflict do nothing`.
 */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, /^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/);
}

/** True if the disk is full (503 `storage_full`). Reads still work, and writes work again once there is room. */
export function isStorageFull(error: unknown): boolean {
  return hasCode(error, /^(53100|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/);
}

/**
 * True if the database does not answer now (gone, starting, out of connections, too slow, or locked too long by another
 * process) or is read-only (a standby, a disk remounted after an error).
 */
export function isUnavailable(error: unknown): boolean {
  return (
    hasCode(
      error,
      /^(08...|57P0[123]|57014|53[034]00|55P03|25P03|25006|40001|40P01|SQLITE_(BUSY|LOCKED|READONLY).*|E(CONN|PIPE|TIMEDOUT|AI_|HOST|NET).*|ENOTFOUND)$/,
    ) ||
    (error instanceof Error &&
      /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
        error.message,
      ))
  );
}

/**
 * True if PostgreSQL refused a statement and rolled it back. After any other error it may have committed: the
 * connection was lost, or the session was ended, perhaps after the commit was written.
 */
export function isRefusal(error: unknown): boolean {
  return hasCode(error, /^(?!08|40003|57P|58)[0-9P][0-9A-Z]{4}$/);
}

/** Drivers and Kysely wrap errors; any error in the chain may have the code, unless it is of another service. */
function hasCode(error: unknown, pattern: RegExp): boolean {
  for (let depth = 0; depth < 5 && error instanceof Error && !(error instanceof ForeignError); depth++) {
    if ("code" in error && typeof error.code === "string" && pattern.test(error.code)) return true;
    error = error.cause;
  }
  return false;
}

/**
 * Ends the process after a database failure that rules out further acknowledgements: retrying after a failed sync would
 * claim durability falsely (guarantees P2).
 */
export const endOnFatal =
  (log: Log) =>
  (error: unknown): void => {
    log.fatal({ err: error }, "the database failed; stopping, so that no unsaved change is acknowledged");
    process.exit(1);
  };
