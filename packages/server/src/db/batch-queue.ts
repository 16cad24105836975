import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";

/** At most this many go into one transaction: it bounds how long the loop is held. */
const BATCH_MAX = 256;
/** Turns of the loop a busy queue waits for more at most: a tenth of a millisecond when nothing else is to be done in them. */
const TURNS_MAX = 16;
/** Refuse to queue more: an answer now beats one after the client gave up. */
const QUEUE_MAX = 20_000;
/** Bytes of all drafts that wait. Long messages reach it before there are 20,000 of them. */
const QUEUE_BYTES = 32 * 1024 * 1024;

interface BatchOptions<D, A> {
  /**
   * Writes these in one transaction. There is an answer at the index of each, an error where that one is refused. When it throws, nothing of
   * it stands, unless the error is the database's.
   */
  commit(drafts: readonly D[]): Promise<readonly (A | Error)[]>;
  /** May this not share its transaction? */
  goesAlone?(draft: D): boolean;
  /** Estimates the memory that a draft takes. Absent: drafts are small, and `queueMax` bounds them. */
  bytesOf?(draft: D): number;
  batchMax?: number;
  turnsMax?: number;
  queueMax?: number;
  queueBytes?: number;
}

interface Waiting<D, A> {
  readonly draft: D;
  readonly bytes: number;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/**
 * Writes that come in crowds share commits.
 *
 * Promises:
 * - Order: drafts are committed in the order they were added, one batch at a time; what comes while one is committed goes into the next.
 * - Durability: each is answered once, after its commit, and in that order.
 * - One that fails sinks no other: when a batch fails each of it is tried alone. Not when the database went away: then the commit may stand, and
 *   trying again might write it twice, so all of the batch are told.
 * - There is no timer: an idle queue commits in the turn after, a busy one when as many are there as the last time and a turn has brought nothing
 *   new, or after some turns. Clients who were answered together come back together, and else would split into groups that wait for each
 *   other's commits.
 */
export class BatchQueue<D, A> {
  readonly #storageError: AppContext["storageError"];
  readonly #options: BatchOptions<D, A> &
    Required<Pick<BatchOptions<D, A>, "batchMax" | "turnsMax" | "queueMax" | "queueBytes">>;
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
      ...options,
    };
  }

  /** @throws overloaded, at once, when too many drafts or bytes wait already */
  add(draft: D): Promise<A> {
    const { queueMax, queueBytes, bytesOf } = this.#options;
    if (this.#waiting.length >= queueMax || this.#bytes >= queueBytes) throw fail("overloaded", { retryAfter: 1 });
    const bytes = bytesOf?.(draft) ?? 0;
    return new Promise((resolve, reject) => {
      this.#bytes += bytes;
      this.#waiting.push({ draft, bytes, resolve, reject });
      if (!this.#scheduled) this.#schedule();
    });
  }

  /** Resolves when all that was added is answered. */
  async settled(): Promise<void> {
    while (this.#scheduled) {
      await new Promise(setImmediate);
      await this.#draining;
    }
  }

  /** After the I/O of this turn, so that every request that arrived together is in the batch. */
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
    const { batchMax, goesAlone } = this.#options;
    const alone = goesAlone === undefined ? -1 : this.#waiting.findIndex(({ draft }) => goesAlone(draft));
    const size = alone === -1 ? batchMax : Math.min(Math.max(alone, 1), batchMax);
    if (this.#waiting.length > size) {
      const batch = this.#waiting.splice(0, size);
      for (const { bytes } of batch) this.#bytes -= bytes;
      return batch;
    }
    const all = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    return all;
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
