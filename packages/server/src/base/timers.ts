import type { Clock } from "../clock.ts";

/**
 * Resolves after that many milliseconds. `unref`: a process that has nothing else to do ends meanwhile, as it should
 * where the pause only limits how long something else is awaited.
 */
export function pause(ms: number, { unref = false }: { unref?: boolean } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (unref) timer.unref();
  });
}

/** A single timer that fires once, at the earliest time it was set to. Does not keep the process alive. */
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

  /** Sets the timer to fire in `ms` milliseconds, or earlier if already set so. */
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
