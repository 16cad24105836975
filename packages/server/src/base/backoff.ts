import type { Clock } from "../clock.ts";

/** Tracks failures and their exponential retry delays. */
export class BackOff {
  readonly #clock: Clock;
  readonly #firstMs: number;
  readonly #mostMs: number;
  readonly #failed = new Map<number, { tries: number; until: number }>();

  constructor(clock: Clock, firstMs: number, mostMs: number) {
    this.#clock = clock;
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
  }

  failed(id: number): void {
    const tries = this.#failed.get(id)?.tries ?? 0;
    const until = this.#clock.monotonic() + Math.min(this.#mostMs, this.#firstMs * 2 ** tries);
    this.#failed.set(id, { tries: tries + 1, until });
  }

  succeeded(id: number): void {
    this.#failed.delete(id);
  }

  has(id: number): boolean {
    return this.#failed.has(id);
  }

  /** Returns the ids that are due for a retry. */
  due(): number[] {
    const now = this.#clock.monotonic();
    return [...this.#failed].filter(([, { until }]) => until <= now).map(([id]) => id);
  }

  /** Milliseconds until the next retry is due; undefined if nothing has failed. */
  get nextIn(): number | undefined {
    if (this.#failed.size === 0) return undefined;
    return Math.max(0, Math.min(...this.#failed.values().map(({ until }) => until)) - this.#clock.monotonic());
  }
}
