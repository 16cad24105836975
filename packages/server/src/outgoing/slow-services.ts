import type { Clock } from "../clock.ts";

/** An answer that takes longer than this is slow, in milliseconds. */
const SLOW_MS = 5_000;
/** So many slow answers in a row make a service a failing one. */
const TIMES = 3;
/** Names that are kept; the one whose last slow answer is the oldest is forgotten first. */
const KEPT = 5_000;

/** Knows which services answered slowly again and again. A name is what the caller calls a service. */
export class SlowServices {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Slow answers in a row. */
  readonly #slow = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** True if the last three answers of the service were slow. */
  isFailing(name: string): boolean {
    return (this.#slow.get(name) ?? 0) >= TIMES;
  }

  /** Runs a request and learns from the time that it takes, under each of the names. One fast answer clears them. */
  async watch<T>(names: readonly string[], request: () => Promise<T>): Promise<T> {
    const started = this.#clock.monotonic();
    try {
      return await request();
    } finally {
      const isSlow = this.#clock.monotonic() - started > SLOW_MS;
      for (const name of names) this.#note(name, isSlow);
    }
  }

  #note(name: string, isSlow: boolean): void {
    const count = this.#slow.get(name) ?? 0;
    this.#slow.delete(name);
    if (!isSlow) return;
    this.#slow.set(name, count + 1);
    const [oldest] = this.#slow.keys();
    if (this.#slow.size > KEPT && oldest !== undefined) this.#slow.delete(oldest);
  }
}
