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
import type { Clock } from "../clock.ts";

/** Distinct SQL texts kept prepared. The texts of stores are constant; only lists of changing length make new ones. */
const STATEMENTS_MAX = 500;
/**
 * How long another process (the command line) may hold the write lock before writes here fail. It counts from the first that found it
 * held: callers take turns, so if each waited anew the last of many would wait for minutes, and reads behind them.
 */
const BUSY_MS = 2_000;
const BUSY_STEP_MS = 5;

export interface BunSqliteListener {
  /** Hears once of an error after which nothing may be acked. */
  onFatal: (error: unknown) => void;
  /** Hears of each commit, at the latest; now and then of one that had nothing to write. */
  onCommit: () => void;
}

/** Kysely's SQLite dialect over an open bun:sqlite database. */
export function bunSqliteDialect(database: Database, clock: Clock, listener: BunSqliteListener): Dialect {
  return {
    createDriver: () => new BunSqliteDriver(new BunSqliteConnection(database, clock, listener)),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/**
 * An error after which the file's state is unknown: a failed write or sync (the kernel may have dropped the pages, so a second
 * fsync that succeeds proves nothing), or a file that is no sound database. The process must stop and recover from the file.
 */
export function isFatalStorageError(error: unknown): boolean {
  return error instanceof SQLiteError && error.code !== undefined && isFatalStorageCode(error.code);
}

/** The same by the error's code. */
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

  /** Takes the write lock at once: a transaction that reads first and writes later could not wait for another writer. */
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
  /** Does it answer rows? Asking the statement makes an array of names each time. */
  readonly hasRows: boolean;
  /** May it change something? */
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
  readonly #statements = new Map<string, Prepared>();
  #fatal: unknown;
  /** When a lock of another process was met first, and last. */
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

  /** After some errors (a full disk) SQLite has rolled back by itself. */
  rollback(): void {
    if (this.#database.inTransaction && this.#fatal === undefined) this.execute("rollback", []);
  }

  execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    if (this.#fatal !== undefined) throw this.#fatal;
    try {
      const prepared = this.#prepared(sql);
      const result = run<R>(prepared, parameters as SQLQueryBindings[]);
      // Alone, or the end of its transaction.
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
    // An unfinished statement would keep the file and its locks open behind a closed database.
    for (const { statement } of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#database.close(this.#fatal === undefined);
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_MAX) this.#forgetOldest();
    const statement = this.#database.prepare(sql);
    const hasRows = statement.columnNames.length > 0;
    const prepared = { statement, hasRows, writes: !hasRows || /\breturning\b/i.test(sql) };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #forgetOldest(): void {
    for (const [sql, { statement }] of this.#statements) {
      statement.finalize();
      this.#statements.delete(sql);
      return;
    }
  }

  /** Asks again until the other writer is done. In steps, because SQLite's own waiting would hold up the whole loop. */
  async #whenFree<T>(busy: unknown, act: () => T): Promise<T> {
    const start = this.#clock.monotonic();
    // Nobody has met a lock for a while: this is another one.
    if (start - this.#busySeen > BUSY_MS) this.#busySince = start;
    for (let last = busy; ; ) {
      this.#busySeen = this.#clock.monotonic();
      if (this.#busySeen - this.#busySince >= BUSY_MS) throw last;
      await new Promise((resolve) => setTimeout(resolve, BUSY_STEP_MS));
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
