import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import type { DatabaseConfig } from "../config.ts";
import type { DialectName } from "./columns.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Tables } from "./tables.ts";

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  readonly dialect: DialectName;
}

export interface OpenOptions {
  /** `server` (default) is the only one on its database; `tool` is the command line, beside a server or not. */
  mode?: "server" | "tool";
  /** Other servers may use the PostgreSQL, too: this one's broker reaches them. */
  isShared?: boolean;
  /**
   * Hears once of an error after which nothing may be acked any more (a failed sync, a broken file, another server on the database): the
   * process has to end. On SQLite every query throws that error from then on.
   */
  onFatal?: (error: unknown) => void;
  /** A server's SQLite log is copied back when it has so many pages; for tests. */
  checkpointPages?: number;
  /** Connections to PostgreSQL; 10 when absent. */
  poolSize?: number;
}

/** Opens the database and brings its schema up to this build. Throws `StartupError` with what to do when that cannot be. */
export async function openDatabase(
  config: DatabaseConfig,
  clock: Clock,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  const { mode = "server", isShared = false, onFatal = () => {}, checkpointPages, poolSize } = options;
  const { db, close } =
    config.kind === "sqlite"
      ? await openSqlite(config.path, clock, { mode, onFatal, ...(checkpointPages && { checkpointPages }) })
      : await openPostgres(config.url, clock, {
          ...(poolSize === undefined ? {} : { poolSize }),
          ...(mode === "server" && !isShared ? { onLost: onFatal } : {}),
        });
  return { db, dialect: config.kind, [Symbol.asyncDispose]: close };
}

/** Names the incarnation of the data (protocol §8): kept over restarts, changed by a restore. */
export async function readEpoch(db: Kysely<Tables>): Promise<string> {
  const { value } = await db.selectFrom("meta").select("value").where("key", "=", "epoch").executeTakeFirstOrThrow();
  return value;
}

/** The row is there already. On PostgreSQL the transaction is lost with it: prefer `on conflict do nothing`. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, /^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/);
}

/** The disk is full (503 `storage_full`); reading still works, and writing will again once there is room. */
export function isStorageFull(error: unknown): boolean {
  return hasCode(error, /^(53100|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/);
}

/**
 * The database does not answer now: gone, starting, out of connections, locked by another process for too long, too slow. Or it can only be
 * read: a standby, a disk that was mounted anew after an error.
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

/** Drivers and Kysely wrap errors in each other; the code is on one of them. */
function hasCode(error: unknown, pattern: RegExp): boolean {
  for (let depth = 0; depth < 5 && error instanceof Error; depth++) {
    if ("code" in error && typeof error.code === "string" && pattern.test(error.code)) return true;
    error = error.cause;
  }
  return false;
}
