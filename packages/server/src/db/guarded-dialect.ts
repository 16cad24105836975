import { AsyncLocalStorage } from "node:async_hooks";
import type { DatabaseConnection, Dialect, Driver, QueryCompiler, TransactionSettings } from "kysely";

/**
 * Wraps a dialect and enforces the rules for transactions:
 * - a query on the outer database inside a transaction throws at once. On one connection it would deadlock; on a pool
 *   it would read and write outside the transaction;
 * - with `single`, callers use the one connection in turn, first come, first served;
 * - with `settled`, a query's result is held back until that resolves, while the next query already runs.
 */
export function guardedDialect(inner: Dialect, options: GuardOptions): Dialect {
  return {
    createDriver: () => new GuardedDriver(inner.createDriver(), options),
    createQueryCompiler: () => inner.createQueryCompiler(),
    createIntrospector: (db) => inner.createIntrospector(db),
    createAdapter: () => {
      const adapter = inner.createAdapter();
      // Kysely would queue the callers of a single connection before the guard sees them.
      Object.defineProperty(adapter, "supportsMultipleConnections", { value: true });
      return adapter;
    },
  };
}

export interface GuardOptions {
  single: boolean;
  /** Resolves when all commits so far are on disk; undefined if they already are. */
  settled?: () => Promise<void> | undefined;
}

/** The async context of one transaction: all code awaited inside it sees the same object. */
interface Scope {
  /** The driver that runs the transaction; set once it has a connection. */
  owner: unknown;
  /**
   * False after commit or rollback: work that was started inside and outlives the transaction may use the outer
   * database again.
   */
  active: boolean;
  /** The error that prevents a commit. */
  doomed: { error: unknown } | null;
  readonly parent: Scope | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `act`, whose first connection is the transaction's, in a scope that refuses further connections to that
 * database.
 */
export async function inTransactionScope<T>(act: () => Promise<T>): Promise<T> {
  const scope: Scope = { owner: undefined, active: true, doomed: null, parent: scopes.getStore() };
  try {
    return await scopes.run(scope, act);
  } finally {
    scope.active = false;
  }
}

/** Forces the surrounding transaction to roll back, whatever it still does: a part of it has failed. */
export function doomTransaction(error: unknown): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.doomed ??= { error };
}

/** Throws the error that doomed the surrounding transaction, if any. */
export function refuseDoomed(): void {
  const doomed = scopes.getStore()?.doomed;
  if (doomed) throw doomed.error;
}

/** A bug: a service used the outer context's database inside `transact`. */
export class OutsideTransactionError extends Error {
  constructor() {
    super("A query was made on the outer database inside a transaction. Use the inner context's `db`.");
    this.name = "OutsideTransactionError";
  }
}

class GuardedDriver implements Driver {
  readonly #inner: Driver;
  readonly #turns: Turns | null;
  readonly #settled: () => Promise<void> | undefined;

  constructor(inner: Driver, { single, settled = () => undefined }: GuardOptions) {
    this.#inner = inner;
    this.#turns = single ? new Turns() : null;
    this.#settled = settled;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#guard();
    if (this.#turns === null) return this.#inner.acquireConnection();
    const turn = this.#turns.take();
    if (turn !== null) await turn;
    try {
      return await this.#inner.acquireConnection();
    } catch (error) {
      this.#turns.give();
      throw error;
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.releaseConnection(connection);
    } finally {
      this.#turns?.give();
    }
    const settled = this.#settled();
    if (settled !== undefined) await settled;
  }

  #guard(): void {
    const scope = scopes.getStore();
    for (let around = scope; around !== undefined; around = around.parent) {
      if (around.active && around.owner === this) throw new OutsideTransactionError();
    }
    if (scope?.active) scope.owner ??= this;
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#inner.beginTransaction(connection, settings);
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#inner.commitTransaction(connection);
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#inner.rollbackTransaction(connection);
  }

  async savepoint(...args: SavepointArguments): Promise<void> {
    await this.#inner.savepoint?.(...args);
  }

  async rollbackToSavepoint(...args: SavepointArguments): Promise<void> {
    await this.#inner.rollbackToSavepoint?.(...args);
  }

  async releaseSavepoint(...args: SavepointArguments): Promise<void> {
    await this.#inner.releaseSavepoint?.(...args);
  }

  /** Waits for its turn, so that the running query finishes first. */
  async destroy(): Promise<void> {
    const turn = this.#turns?.take();
    if (turn) await turn;
    try {
      await this.#inner.destroy();
    } finally {
      this.#turns?.give();
    }
  }
}

type SavepointArguments = [connection: DatabaseConnection, name: string, compileQuery: QueryCompiler["compileQuery"]];

/** A FIFO lock; acquiring a free one costs no event-loop turn. */
class Turns {
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  /** Acquires the lock; null if it was free. */
  take(): Promise<void> | null {
    if (!this.#taken) {
      this.#taken = true;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
