/** Runs something later. Apart from the clock, so that a test moves time instead of waiting for it. */
export interface Scheduler {
  /** Runs `act` once after `ms`; the answer takes it back. A waiting timer never keeps the process alive. */
  after(ms: number, act: () => void): () => void;
}

export const systemScheduler: Scheduler = {
  after(ms, act) {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Time that moves only when it is told to: for tests. */
export class ManualScheduler implements Scheduler {
  #now = 0;
  #order = 0;
  readonly #waiting = new Map<number, { at: number; act: () => void }>();

  after(ms: number, act: () => void): () => void {
    const id = ++this.#order;
    this.#waiting.set(id, { at: this.#now + ms, act });
    return () => void this.#waiting.delete(id);
  }

  /** Moves time on and runs what falls due, in the order of its time. */
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

  /** Timers that wait: a leak shows here. */
  get waiting(): number {
    return this.#waiting.size;
  }
}

function byTime(a: [number, { at: number }], b: [number, { at: number }]): number {
  return a[1].at - b[1].at || a[0] - b[0];
}
