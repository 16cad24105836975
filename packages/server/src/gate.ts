import { fail } from "./errors.ts";

interface GateOptions {
  atOnce: number;
  /** How many may wait. */
  queueMax: number;
  /** Seconds after which a refused caller may come back. */
  retryAfter: number;
  /** Hears how many wait or run, whenever that changes. */
  onLength?: (length: number) => void;
}

/** Lets a few acts run, in order of arrival; refuses when too many wait, because waiting would only pile up. */
export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @throws overloaded, and what the act throws */
  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#running < this.#options.atOnce) this.#running += 1;
    else await this.#turn();
    this.#tell();
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // hands the place over, so that nobody slips in between
      this.#tell();
    }
  }

  #tell(): void {
    this.#options.onLength?.(this.#running + this.#waiting.length);
  }

  #turn(): Promise<void> {
    const { queueMax, retryAfter } = this.#options;
    if (this.#waiting.length >= queueMax) throw fail("overloaded", { retryAfter });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#tell();
    });
  }
}
