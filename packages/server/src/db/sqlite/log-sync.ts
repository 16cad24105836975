import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { OwnThread } from "../../base/own-thread.ts";

const syncData = promisify(fdatasync);

type Round = PromiseWithResolvers<void>;

/** The log that commits are written to. */
export interface Log {
  /** Resolves when all writes before the call are on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Syncs commits to disk off the event loop, in groups: one sync runs at a time, and all commits during it share the
 * next one. A caller that has committed, or has read another's commit, awaits `settled` before it reports the result.
 *
 * After a failed sync nothing ever settles again: the kernel may have dropped the pages, so a later sync that succeeds
 * proves nothing.
 */
export class LogSync {
  readonly #log: Log;
  readonly #onFailure: (error: unknown) => void;
  /** Covers the commits before it began. */
  #running: Round | undefined;
  /** Begins when the running one ends; covers the commits made meanwhile. */
  #next: Round | undefined;
  #failure: { error: unknown } | undefined;

  /** `onFailure` is called with the first failure, once. */
  constructor(log: Log, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  /** Records a commit that may not be on disk yet. */
  committed(): void {
    this.#next ??= newRound();
    if (this.#failure !== undefined) this.#next.reject(this.#failure.error);
    else if (this.#running === undefined) this.#begin();
  }

  /**
   * Resolves when all commits so far are on disk; undefined if they already are. Rejects with the error of a failed
   * sync.
   */
  settled(): Promise<void> | undefined {
    return (this.#next ?? this.#running)?.promise;
  }

  /** Syncs the remaining commits. Ignores failures, which `onFailure` has reported. */
  async close(): Promise<void> {
    await this.settled()?.catch(() => {});
    await this.#log.close();
  }

  #begin(): void {
    const round = this.#next;
    this.#running = round;
    this.#next = undefined;
    if (round === undefined) return;
    this.#log.sync().then(
      () => {
        this.#begin();
        round.resolve();
      },
      (error) => {
        this.#failure = { error };
        round.reject(error);
        this.#next?.reject(error);
        this.#onFailure(error);
      },
    );
  }
}

function newRound(): Round {
  const round = Promise.withResolvers<void>();
  round.promise.catch(() => {}); // perhaps nobody awaits it; onFailure reports a failure
  return round;
}

/**
 * How long a sync may wait for the pool before a separate thread syncs as well. Slower disks are synced twice, and the
 * second sync is cheap.
 */
const POOL_MS = 50;

/** Syncs the file through a handle that it opens with the first sync and closes on request. */
const program = (path: string): string => `
import { closeSync, fdatasyncSync, openSync } from "node:fs";
let handle;
function act(isLast) {
  if (!isLast) fdatasyncSync((handle ??= openSync(${JSON.stringify(path)}, "r+")));
  else if (handle !== undefined) closeSync(handle);
}
`;

/**
 * The write-ahead log of an open SQLite file, synced through separate handles. SQLite's locks are on the other files.
 *
 * A thread of Bun's pool syncs it, which is cheapest. The pool also reads files and resolves hosts, and can be busy for
 * any time; a dedicated thread then takes over until the pool answers. So other work delays a commit by at most
 * `POOL_MS`.
 */
export class LogFile implements Log {
  readonly #path: string;
  readonly #thread: OwnThread<boolean, void>;
  #handle: number | undefined;
  /** The sync that the pool has not begun or finished. */
  #inPool: Promise<void> | undefined;
  #inThread: Promise<void> | undefined;
  /** The pool's sync failed after the thread's had succeeded: the next commit must not be acknowledged. */
  #failure: { error: unknown } | undefined;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
    this.#thread = new OwnThread("log sync", program(this.#path));
  }

  /** The log file exists from the first commit on. */
  async sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#inPool !== undefined) return this.#syncInThread();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const takeOver = setTimeout(() => this.#syncInThread().then(resolve, reject), POOL_MS);
    this.#inPool = this.#syncInPool()
      .then(resolve, (error) => {
        this.#failure = { error };
        reject(error);
      })
      .finally(() => {
        clearTimeout(takeOver);
        this.#inPool = undefined;
      });
    return promise;
  }

  async #syncInPool(): Promise<void> {
    this.#handle ??= openSync(this.#path, "r+");
    await syncData(this.#handle);
  }

  /** Runs syncs one after the other: an earlier one may still run whose commits the pool has synced meanwhile. */
  #syncInThread(): Promise<void> {
    const act = () => this.#thread.run(false);
    this.#inThread = this.#inThread === undefined ? act() : this.#inThread.then(act);
    return this.#inThread;
  }

  async close(): Promise<void> {
    if (this.#inThread !== undefined) {
      const closed = this.#inThread.then(() => this.#thread.run(true));
      await closed.catch(() => {}); // a failed sync was reported by `sync`
      this.#thread.end();
    }
    const handle = this.#handle;
    this.#handle = undefined;
    if (handle === undefined) return;
    // By the time the pool begins, a closed file's descriptor may belong to another file.
    if (this.#inPool === undefined) closeSync(handle);
    else void this.#inPool.then(() => closeSync(handle));
  }
}
