import { type Database, SQLiteError, type SQLQueryBindings, type Statement } from "bun:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { LRUCache } from "lru-cache";
import { pause } from "../../base/timers.ts";
import type { Clock } from "../../clock.ts";

/** The number of cached prepared statements. The SQL of stores is constant; only lists of varying length add more. */
const STATEMENTS_MAX = 500;
/**
 * How long another process (the command line) may hold the write lock before writes here fail. The time counts from the
 * first caller that met the lock: callers queue, so if each waited in full, the last would wait for minutes, and reads
 * behind it.
 */
const BUSY_MS = 2_000;
const BUSY_STEP_MS = 5;

export interface BunSqliteListener {
  /** Called once, on an error after which nothing may be acknowledged. */
  onFatal: (error: unknown) => void;
  /** Called after each commit; sometimes also after one that wrote nothing. */
  onCommit: () => void;
}

/** Returns Kysely's SQLite dialect over an open bun:sqlite database. */
export function bunSqliteDialect(database: Database, clock: Clock, listener: BunSqliteListener): Dialect {
  return {
    createDriver: () => new BunSqliteDriver(new BunSqliteConnection(database, clock, listener)),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * True for an error after which the file's state is unknown: a failed write or sync (the kernel may have dropped the
 * pages, so a later fsync that succeeds proves nothing), or a corrupt file. The process must stop and recover from the
 * file.
 */
export function isFatalStorageError(error: unknown): boolean {
  return error instanceof SQLiteError && error.code !== undefined && isFatalStorageCode(error.code);
}

/** Like `isFatalStorageError`, by the error's code. */
export function isFatalStorageCode(code: string): boolean {
  if (code === "SQLITE_IOERR_SHMSIZE") return false; // no room for the WAL's index: the disk is full
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code);
}

class BunSqliteDriver implements Driver {
  readonly #connection: BunSqliteConnection;

  constructor(connection: BunSqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  /** Takes the write lock at once: a transaction that reads first and writes later cannot wait for another writer. */
  beginTransaction(): Promise<void> {
    return this.#connection.begin();
  }

  async commitTransaction(): Promise<void> {
    this.#connection.execute("commit", []);
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
  }

  async destroy(): Promise<void> {
    this.#connection.close();
  }
}

interface Prepared {
  readonly statement: Statement;
  /** True if it returns rows. Cached, because the statement builds an array of names each time. */
  readonly hasRows: boolean;
  /** True if it may change data. */
  readonly writes: boolean;
}

function run<R>({ statement, hasRows }: Prepared, parameters: SQLQueryBindings[]): QueryResult<R> {
  if (hasRows) return { rows: statement.all(parameters as never) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters as never);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #listener: BunSqliteListener;
  readonly #statements = new LRUCache<string, Prepared>({
    max: STATEMENTS_MAX,
    dispose: ({ statement }) => statement.finalize(),
  });
  #fatal: unknown;
  /** When another process's lock was first met, and last. */
  #busySince = 0;
  #busySeen = Number.NEGATIVE_INFINITY;

  constructor(database: Database, clock: Clock, listener: BunSqliteListener) {
    this.#database = database;
    this.#clock = clock;
    this.#listener = listener;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return this.execute<R>(sql, parameters);
    } catch (error) {
      if (!isBusy(error) || this.#database.inTransaction) throw error;
      return this.#whenFree(error, () => this.execute<R>(sql, parameters));
    }
  }

  async begin(): Promise<void> {
    try {
      this.execute("begin immediate", []);
    } catch (error) {
      if (!isBusy(error)) throw error;
      await this.#whenFree(error, () => this.execute("begin immediate", []));
    }
    this.#busySeen = Number.NEGATIVE_INFINITY;
  }

  /** After some errors (such as a full disk) SQLite has already rolled back. */
  rollback(): void {
    if (this.#database.inTransaction && this.#fatal === undefined) this.execute("rollback", []);
  }

  execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    if (this.#fatal !== undefined) throw this.#fatal;
    try {
      const prepared = this.#prepared(sql);
      const result = run<R>(prepared, parameters as SQLQueryBindings[]);
      // A single statement, or the end of its transaction.
      if (prepared.writes && !this.#database.inTransaction) this.#listener.onCommit();
      return result;
    } catch (error) {
      if (isFatalStorageError(error)) {
        this.#fatal = error;
        this.#listener.onFatal(error);
      }
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: part of Kysely's interface; a held-open cursor would block the one connection.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("Rows are read in pages, not streamed.");
  }

  close(): void {
    // An open statement would keep the file and its locks open behind a closed database.
    this.#statements.clear();
    this.#database.close(this.#fatal === undefined);
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const hasRows = statement.columnNames.length > 0;
    const prepared = { statement, hasRows, writes: !hasRows || /\breturning\b/i.test(sql) };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  /** Retries until the other writer is done, in steps: SQLite's own waiting would block the event loop. */
  async #whenFree<T>(busy: unknown, act: () => T): Promise<T> {
    const start = this.#clock.monotonic();
    // Nobody has met a lock for a while: this is a new one.
    if (start - this.#busySeen > BUSY_MS) this.#busySince = start;
    for (let last = busy; ; ) {
      this.#busySeen = this.#clock.monotonic();
      if (this.#busySeen - this.#busySince >= BUSY_MS) throw last;
      await pause(BUSY_STEP_MS);
      try {
        const done = act();
        this.#busySeen = Number.NEGATIVE_INFINITY;
        return done;
      } catch (error) {
        if (!isBusy(error)) throw error;
        last = error;
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY") === true;
}
