/** The most gaps that are kept. */
const GAPS_MAX = 500;
/** How long a missing id may still be committed. A transaction ends within 40 s: see the limits in db/postgres. */
const MISSING_MS = 60_000;

/** Ids that were not seen, from the first to the last. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

interface Missed extends Gap {
  /** The monotonic time at which they were first missed. */
  readonly since: number;
}

/**
 * Which messages of the control log a node has handled: all up to `max`, without those in the gaps. PostgreSQL assigns
 * ids before the commit, so a row may appear behind higher ones, and the bus is faster than the log.
 */
export class ControlPosition {
  #max: number;
  /** In the order of ids, and of time. */
  readonly #gaps: Missed[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** Notes that these ids, which follow all other gaps, are absent from the log now. */
  miss({ from, to }: Gap, now: number): void {
    if (from <= to) this.#gaps.push({ from, to, since: now });
    this.#merge();
  }

  /** Returns true if the message has to be handled now, false if it was handled before. */
  take(id: number, now: number): boolean {
    if (id > this.#max) {
      this.miss({ from: this.#max + 1, to: id - 1 }, now);
      this.#max = id;
      return true;
    }
    const at = this.#gaps.findIndex(({ from, to }) => from <= id && id <= to);
    const gap = this.#gaps[at];
    if (gap === undefined) return false;
    const rest = [
      { ...gap, to: id - 1 },
      { ...gap, from: id + 1 },
    ];
    this.#gaps.splice(at, 1, ...rest.filter(({ from, to }) => from <= to));
    this.#merge();
    return true;
  }

  /** Forgets the ids that a reading did not find although it began long after they were missed. */
  forget(readAt: number): void {
    const kept = this.#gaps.findIndex(({ since }) => readAt - since < MISSING_MS);
    this.#gaps.splice(0, kept === -1 ? this.#gaps.length : kept);
  }

  /** Joins the oldest gaps if there are too many: a message between them is handled twice, which does no harm. */
  #merge(): void {
    const [first, second] = this.#gaps;
    if (this.#gaps.length <= GAPS_MAX || first === undefined || second === undefined) return;
    this.#gaps.splice(0, 2, { ...second, from: first.from });
  }
}
