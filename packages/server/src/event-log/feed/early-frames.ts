import type { BrokerMessage } from "../../realtime/broker/broker.ts";

/** Frames kept before their predecessors; beyond that, the database is read instead. */
export const EARLY_MAX = 1_000;

/**
 * The frames of one channel that cannot be delivered yet: durable ones whose predecessors are missing, and ephemeral
 * ones, which follow every durable frame that arrived before them.
 */
export class EarlyFrames {
  readonly #durable = new Map<number, BrokerMessage>();
  /** In order of arrival, so `after` never decreases. */
  readonly #ephemeral: { after: number; message: BrokerMessage }[] = [];
  /** The highest seq that was ever added. */
  highest = 0;

  get isEmpty(): boolean {
    return this.#durable.size === 0 && this.#ephemeral.length === 0;
  }

  /** The number of frames kept. */
  get size(): number {
    return this.#durable.size + this.#ephemeral.length;
  }

  add(message: BrokerMessage): void {
    const { seq } = message;
    if (seq === undefined) this.#ephemeral.push({ after: this.highest, message });
    else {
      this.#durable.set(seq, message);
      this.highest = Math.max(this.highest, seq);
    }
  }

  /** Removes and returns what may follow `lastSeq` now, in order. Forgets what was delivered in another way. */
  release(lastSeq: number): BrokerMessage[] {
    const free: BrokerMessage[] = [];
    let reached = lastSeq;
    for (;;) {
      this.#releaseEphemeral(reached, free);
      const next = this.#durable.get(reached + 1);
      if (next === undefined) break;
      reached += 1;
      free.push(next);
    }
    // Usually all of them: a gap is closed by its last missing frame.
    if (reached >= this.highest) this.#durable.clear();
    else for (const seq of this.#durable.keys()) if (seq <= reached) this.#durable.delete(seq);
    return free;
  }

  #releaseEphemeral(reached: number, free: BrokerMessage[]): void {
    let count = 0;
    for (const { after, message } of this.#ephemeral) {
      if (after > reached) break;
      free.push(message);
      count += 1;
    }
    this.#ephemeral.splice(0, count);
  }

  /** Drops all frames. Durable ones must then be read from the database; ephemeral ones are lost. */
  drop(): void {
    this.#durable.clear();
    this.#ephemeral.length = 0;
  }
}
