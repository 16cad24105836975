/** The most missing ids that are kept: more of them mean that the numbers jumped, not that rows are late. */
const MISSING_MAX = 1_000;
/** How long a missing id may still be committed. A transaction ends within 40 s: see the limits in db/postgres. */
const MISSING_MS = 60_000;

/**
 * Which messages of the control log a node has handled: all up to `max`, without the missing ones. PostgreSQL assigns
 * ids before the commit, so a row may appear behind higher ones, and the bus is faster than the log.
 */
export class ControlPosition {
  #max: number;
  /** Ids up to `max` that were not seen, with the monotonic time at which they were first missed. In order of time. */
  readonly #missing = new Map<number, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  get missing(): readonly number[] {
    return [...this.#missing.keys()];
  }

  /** Notes ids that are absent from the log now. */
  miss(ids: Iterable<number>, now: number): void {
    for (const id of ids) this.#missing.set(id, now);
    for (const id of this.#missing.keys()) {
      if (this.#missing.size <= MISSING_MAX) break;
      this.#missing.delete(id);
    }
  }

  /** Returns true if the message has to be handled now, false if it was handled before. */
  take(id: number, now: number): boolean {
    if (id <= this.#max) return this.#missing.delete(id);
    const first = Math.max(this.#max + 1, id - MISSING_MAX);
    this.miss(
      Array.from({ length: id - first }, (_, at) => first + at),
      now,
    );
    this.#max = id;
    return true;
  }

  /** Forgets the ids that a reading did not find although it began long after they were missed. */
  forget(readAt: number): void {
    for (const [id, since] of this.#missing) {
      if (readAt - since < MISSING_MS) break;
      this.#missing.delete(id);
    }
  }
}
