import { OwnThread } from "../own-thread.ts";

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
 * The write-ahead log of a SQLite file that is open, synced through a handle of its own by a thread of its own: work in Bun's pool cannot
 * delay commits. SQLite's locks are on the other files.
 */
export class LogFile implements Log {
  readonly #thread: OwnThread<boolean, void>;
  #isOpen = false;

  constructor(databasePath: string) {
    this.#thread = new OwnThread("log sync", program(`${databasePath}-wal`));
  }

  /** The log is there from the first commit on. */
  sync(): Promise<void> {
    this.#isOpen = true;
    return this.#thread.run(false);
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.#thread.run(true);
    } finally {
      this.#thread.end();
    }
  }
}
