import { fail } from "./errors.ts";

interface GateOptions {
  atOnce: number;
  /** How many may wait; as many more of those who go first. */
  queueMax: number;
  /** Seconds after which a refused caller may come back. */
  retryAfter: number;
  /** Hears how many wait or run, whenever that changes. */
  onLength?: (length: number) => void;
}

/**
 * Lets a few acts run, in order of arrival; refuses when too many wait, because waiting would only pile up. Callers who go first wait in a
 * queue of their own, so that a crowd of strangers neither delays nor displaces them.
 */
export class Gate {
  #running = 0;
  readonly #first: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @throws overloaded, and what the act throws */
  async run<T>(act: () => Promise<T>, goesFirst = false): Promise<T> {
    if (this.#running < this.#options.atOnce) this.#running += 1;
    else await this.#turn(goesFirst ? this.#first : this.#waiting);
    this.#tell();
    try {
      return await act();
    } finally {
      const next = this.#first.shift() ?? this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // hands the place over, so that nobody slips in between
      this.#tell();
    }
  }

  #tell(): void {
    this.#options.onLength?.(this.#running + this.#first.length + this.#waiting.length);
  }

  #turn(queue: (() => void)[]): Promise<void> {
    const { queueMax, retryAfter } = this.#options;
    if (queue.length >= queueMax) throw fail("overloaded", { retryAfter });
    return new Promise((resolve) => {
      queue.push(resolve);
      this.#tell();
    });
  }
}
