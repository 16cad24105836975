import type { Spent } from "./cpu-throttle.ts";

/** The seqs of the first transaction. */
const START = 256;
/** The target for one transaction, in milliseconds, and the least seqs that it handles. */
const HOLDING_THREAD = { ms: 3, min: 16 };
const WAITING = { ms: 8, min: 64 };

/**
 * How many seqs a consumer handles in one transaction: the number adapts to how long one takes. On SQLite a transaction
 * holds the thread and the write lock, so requests wait for it, and it should be short. On PostgreSQL it mostly waits,
 * and fewer seqs would only be slower.
 */
export class SliceSize {
  readonly #holdsThread: boolean;
  readonly #batch: number;
  #seqs: number;

  /** `batch`: the most seqs of one channel that a transaction handles. */
  constructor(holdsThread: boolean, batch: number) {
    this.#holdsThread = holdsThread;
    this.#batch = batch;
    this.#seqs = Math.min(batch, START);
  }

  get seqs(): number {
    return this.#seqs;
  }

  /** Learns from a transaction that handled `seqs`. */
  adapt(seqs: number, { wall, cpu }: Spent): void {
    const { ms, min } = this.#holdsThread ? HOLDING_THREAD : WAITING;
    const took = this.#holdsThread ? wall : cpu;
    if (took > ms) this.#seqs = Math.max(min, Math.floor(this.#seqs / 2));
    else if (took < ms / 2 && 2 * seqs > this.#seqs) this.#seqs = Math.min(Math.max(this.#batch, min), this.#seqs * 2);
  }
}
