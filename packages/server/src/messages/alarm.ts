import type { Clock } from "../clock.ts";

/** One timer, which rings once, at the earliest of the times it was set to. Does not keep the process alive. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: { at: number; handle: ReturnType<typeof setTimeout> } | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** In `ms` milliseconds, unless it rings earlier. */
  set(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.clear();
    const handle = setTimeout(() => {
      this.#timer = undefined;
      this.#ring();
    }, ms);
    handle.unref();
    this.#timer = { at, handle };
  }

  clear(): void {
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
  }
}
