import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";

/** The most drafts in one transaction: it bounds how long the event loop is blocked. */
const BATCH_MAX = 256;
/** The most event-loop turns that a busy queue waits for more drafts: a tenth of a millisecond if the loop is idle. */
const TURNS_MAX = 16;
/** The queue refuses more drafts: an error now is better than an answer after the client gave up. */
const QUEUE_MAX = 20_000;
/** The most bytes of waiting drafts. Long messages reach it before 20,000 of them are queued. */
const QUEUE_BYTES = 32 * 1024 * 1024;

interface BatchOptions<D, A> {
  /**
   * Writes the drafts in one transaction. Returns an answer at the index of each, an error for a refused draft. If it
   * throws, nothing was written, unless the error is the database's.
   */
  commit(drafts: readonly D[]): Promise<readonly (A | Error)[]>;
  /** True if the draft must have a transaction of its own. */
  goesAlone?(draft: D): boolean;
  /** Estimates the memory that a draft takes. Absent: drafts are small, and `queueMax` bounds them. */
  bytesOf?(draft: D): number;
  batchMax?: number;
  turnsMax?: number;
  queueMax?: number;
  queueBytes?: number;
  /** The load of several queues that share these limits; absent: this queue has them alone. */
  load?: QueueLoad;
}

/** The drafts that wait to be committed: their number and bytes. */
export interface QueueLoad {
  drafts: number;
  bytes: number;
}

interface Waiting<D, A> {
  readonly draft: D;
  readonly bytes: number;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/**
 * Groups concurrent writes into shared commits.
 *
 * Promises:
 * - Order: drafts are committed in the order they were added, one batch at a time; drafts added during a commit go into
 *   the next batch.
 * - Durability: each draft is answered once, after its commit, in that order.
 * - Isolation: one failure affects no other draft. When a batch fails, each draft is retried alone. The exception is an
 *   unavailable database: the commit may have succeeded and a retry might write twice, so the whole batch fails.
 * - No timer: an idle queue commits in the next turn. A busy one commits when as many drafts wait as last time and a
 *   turn has brought no more, or after some turns. Clients that were answered together send again together, and would
 *   otherwise split into groups that wait for each other's commits.
 */
export class BatchQueue<D, A> {
  readonly #storageError: AppContext["storageError"];
  readonly #options: BatchOptions<D, A> &
    Required<Pick<BatchOptions<D, A>, "batchMax" | "turnsMax" | "queueMax" | "queueBytes" | "load">>;
  #waiting: Waiting<D, A>[] = [];
  /** Bytes of all drafts in `#waiting`. */
  #bytes = 0;
  #scheduled = false;
  #lastBatch = 0;
  #draining: Promise<void> = Promise.resolve();

  constructor({ storageError }: Pick<AppContext, "storageError">, options: BatchOptions<D, A>) {
    this.#storageError = storageError;
    this.#options = {
      batchMax: BATCH_MAX,
      turnsMax: TURNS_MAX,
      queueMax: QUEUE_MAX,
      queueBytes: QUEUE_BYTES,
      load: { drafts: 0, bytes: 0 },
      ...options,
    };
  }

  /** @throws overloaded, at once, if too many drafts or bytes already wait */
  add(draft: D): Promise<A> {
    const { queueMax, queueBytes, bytesOf, load } = this.#options;
    if (load.drafts >= queueMax || load.bytes >= queueBytes) throw fail("overloaded", { retryAfter: 1 });
    const bytes = bytesOf?.(draft) ?? 0;
    return new Promise((resolve, reject) => {
      load.drafts += 1;
      load.bytes += bytes;
      this.#bytes += bytes;
      this.#waiting.push({ draft, bytes, resolve, reject });
      if (!this.#scheduled) this.#schedule();
    });
  }

  /** False while drafts wait or are being committed. */
  get isIdle(): boolean {
    return !this.#scheduled;
  }

  /** Resolves when every added draft is answered. */
  async settled(): Promise<void> {
    while (this.#scheduled) {
      await new Promise(setImmediate);
      await this.#draining;
    }
  }

  /** Runs after the I/O of this turn, so that all requests that arrived together are in the batch. */
  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => this.#turn(this.#lastBatch > 1 ? this.#options.turnsMax : 0));
  }

  #turn(turnsLeft: number): void {
    const queued = this.#waiting.length;
    if (turnsLeft === 0 || queued >= this.#options.batchMax) {
      this.#draining = this.#drain();
      return;
    }
    setImmediate(() => {
      const mayGrow = this.#waiting.length > queued || this.#waiting.length < this.#lastBatch;
      this.#turn(mayGrow ? turnsLeft - 1 : 0);
    });
  }

  async #drain(): Promise<void> {
    const batch = this.#takeBatch();
    this.#lastBatch = batch.length;
    try {
      await this.#commit(batch);
    } catch (error) {
      await this.#commitEach(batch, error);
    }
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  #takeBatch(): Waiting<D, A>[] {
    const { batchMax, goesAlone, load } = this.#options;
    const alone = goesAlone === undefined ? -1 : this.#waiting.findIndex(({ draft }) => goesAlone(draft));
    const size = alone === -1 ? batchMax : Math.min(Math.max(alone, 1), batchMax);
    let batch = this.#waiting;
    let bytes = this.#bytes;
    if (batch.length > size) {
      batch = this.#waiting.splice(0, size);
      bytes = batch.reduce((sum, waiting) => sum + waiting.bytes, 0);
    } else {
      this.#waiting = [];
    }
    this.#bytes -= bytes;
    load.drafts -= batch.length;
    load.bytes -= bytes;
    return batch;
  }

  async #commitEach(batch: readonly Waiting<D, A>[], error: unknown): Promise<void> {
    const isOver = batch.length === 1 || this.#storageError(error) !== undefined;
    for (const waiting of batch) {
      if (isOver) waiting.reject(error);
      else await this.#commit([waiting]).catch(waiting.reject);
    }
  }

  async #commit(batch: readonly Waiting<D, A>[]): Promise<void> {
    const answers = await this.#options.commit(batch.map(({ draft }) => draft));
    batch.forEach((waiting, index) => {
      const answer = answers[index] as A | Error;
      if (answer instanceof Error) waiting.reject(answer);
      else waiting.resolve(answer);
    });
  }
}
