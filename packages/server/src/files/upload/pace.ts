import type { Clock } from "../../clock.ts";

const STEP_MS = 5_000;
const STEPS = 6;

/**
 * Measures how fast a sender is: the bytes of the last 30 seconds that the server waited for them. Time in which the
 * server was busy with what had arrived does not count.
 */
export class Pace {
  readonly #clock: Clock;
  /** Bytes by steps of waiting; the last entry is that of the current step. */
  readonly #bytes: number[] = [0];
  #step = 0;
  #waited = 0;
  #since: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to wait for the sender. */
  wait(): void {
    this.#since = this.#clock.monotonic();
  }

  /** Ends the wait, with the bytes that it brought. */
  arrived(bytes: number): void {
    this.#waited = this.waitedMs;
    this.#since = null;
    this.#toNow();
    this.#bytes.push((this.#bytes.pop() ?? 0) + bytes);
  }

  /** True while the server waits for the sender. */
  get isWaiting(): boolean {
    return this.#since !== null;
  }

  /** How long the server has waited for this sender in all. */
  get waitedMs(): number {
    return this.#waited + (this.#since === null ? 0 : this.#clock.monotonic() - this.#since);
  }

  /** Returns the bytes a second. Means little before the server has waited a few seconds. */
  speed(): number {
    this.#toNow();
    const waited = this.waitedMs;
    const window = Math.min(waited, (STEPS - 1) * STEP_MS + (waited % STEP_MS));
    return (this.#bytes.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, window)) * 1_000;
  }

  #toNow(): void {
    const step = Math.floor(this.waitedMs / STEP_MS);
    for (let passed = Math.min(STEPS, step - this.#step); passed > 0; passed--) this.#bytes.push(0);
    this.#bytes.splice(0, this.#bytes.length - STEPS);
    this.#step = step;
  }
}
