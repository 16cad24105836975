import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { OwnThread } from "../own-thread.ts";

const syncData = promisify(fdatasync);

type Round = PromiseWithResolvers<void>;

/** What a commit is written to. */
export interface Log {
  /** Resolves when all that was written before the call is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Brings commits to the disk beside the event loop, several at once: one sync runs at a time, and all that is committed while it runs
 * shares the next one. Whoever has committed, or has read what another one committed, waits for `settled` before telling anybody.
 *
 * After a failed sync nothing is ever settled again: the kernel may have dropped the pages, so a second sync that succeeds proves nothing.
 */
export class LogSync {
  readonly #log: Log;
  readonly #onFailure: (error: unknown) => void;
  /** Covers what was committed before it began. */
  #running: Round | undefined;
  /** Begins when the running one has ended; covers what was committed meanwhile. */
  #next: Round | undefined;
  #failure: { error: unknown } | undefined;

  /** `onFailure` hears of the first failure, once. */
  constructor(log: Log, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  /** Something has been committed that may not be on the disk yet. */
  committed(): void {
    this.#next ??= newRound();
    if (this.#failure !== undefined) this.#next.reject(this.#failure.error);
    else if (this.#running === undefined) this.#begin();
  }

  /** Resolves when all that is committed now is on the disk; undefined: it is. Rejects with the error of a sync that failed. */
  settled(): Promise<void> | undefined {
    return (this.#next ?? this.#running)?.promise;
  }

  /** Brings what is left to the disk; the owner of a failure has heard of it already. */
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
  round.promise.catch(() => {}); // perhaps nobody waits for it; a failure is told by onFailure
  return round;
}

/**
 * How long a sync may wait for the pool before a thread of its own does it as well. Disks that take longer are synced twice, which the second
 * time costs little.
 */
const POOL_MS = 50;

/** Syncs the file through a handle that it opens with the first sync; closes that when told to. */
const program = (path: string): string => `
import { closeSync, fdatasyncSync, openSync } from "node:fs";
let handle;
function act(isLast) {
  if (!isLast) fdatasyncSync((handle ??= openSync(${JSON.stringify(path)}, "r+")));
  else if (handle !== undefined) closeSync(handle);
}
`;

/**
 * The write-ahead log of a SQLite file that is open, synced through handles of its own. SQLite's locks are on the other files.
 *
 * A thread of Bun's pool syncs it, because that is cheapest. The pool also reads files and looks up hosts, which may fill it for any time: then
 * a thread that does nothing else takes over until the pool has answered. So no other work delays a commit by more than `POOL_MS`.
 */
export class LogFile implements Log {
  readonly #path: string;
  readonly #thread: OwnThread<boolean, void>;
  #handle: number | undefined;
  /** The sync that the pool has not finished, or not begun. */
  #inPool: Promise<void> | undefined;
  #inThread: Promise<void> | undefined;
  /** The pool's sync failed when another one had been waited for: the next commit must not be told to be stored. */
  #failure: { error: unknown } | undefined;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
    this.#thread = new OwnThread("log sync", program(this.#path));
  }

  /** The log is there from the first commit on. */
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

  /** One after the other: an earlier sync may still run whose commits the pool has brought to the disk meanwhile. */
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
    // The number of a closed file may be another's by the time at which the pool begins.
    if (this.#inPool === undefined) closeSync(handle);
    else void this.#inPool.then(() => closeSync(handle));
  }
}
