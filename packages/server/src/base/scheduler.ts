/** Runs functions later. Separate from the clock, so that tests advance time instead of waiting. */
export interface Scheduler {
  /** Runs `act` once after `ms`; the returned function cancels it. A pending timer never keeps the process alive. */
  after(ms: number, act: () => void): () => void;
}

export const systemScheduler: Scheduler = {
  after(ms, act) {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A scheduler for tests: time moves only through `advance`. */
export class ManualScheduler implements Scheduler {
  #now = 0;
  #order = 0;
  readonly #waiting = new Map<number, { at: number; act: () => void }>();

  after(ms: number, act: () => void): () => void {
    const id = ++this.#order;
    this.#waiting.set(id, { at: this.#now + ms, act });
    return () => void this.#waiting.delete(id);
  }

  /** Advances time and runs the due timers in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#waiting].filter(([, timer]) => timer.at <= until).sort(byTime)[0];
      if (due === undefined) break;
      const [id, timer] = due;
      this.#waiting.delete(id);
      this.#now = timer.at;
      timer.act();
    }
    this.#now = until;
  }

  get now(): number {
    return this.#now;
  }

  /** The number of pending timers: a leak shows here. */
  get waiting(): number {
    return this.#waiting.size;
  }
}

function byTime(a: [number, { at: number }], b: [number, { at: number }]): number {
  return a[1].at - b[1].at || a[0] - b[0];
}
