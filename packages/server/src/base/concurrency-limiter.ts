import { fail } from "../errors.ts";

interface LimiterOptions {
  /** Maximum number of acts that run at a time. */
  concurrency: number;
  /** Maximum number of waiting callers; callers with priority have a queue of the same size. */
  queueMax: number;
  /** Seconds after which a refused caller may retry. */
  retryAfter: number;
  /** Called with the number of waiting and running acts whenever it changes. */
  onLength?: (length: number) => void;
}

/**
 * Limits concurrency. Acts run in order of arrival; when too many wait, further ones are refused, because waiting would
 * only pile up. Callers with priority have their own queue, so that a crowd of strangers neither delays nor displaces
 * them.
 */
export class ConcurrencyLimiter {
  #running = 0;
  readonly #first: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #options: LimiterOptions;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  /** @throws overloaded, and what the act throws */
  async run<T>(act: () => Promise<T>, hasPriority = false): Promise<T> {
    if (this.#running < this.#options.concurrency) this.#running += 1;
    else await this.#turn(hasPriority ? this.#first : this.#waiting);
    this.#report();
    try {
      return await act();
    } finally {
      const next = this.#first.shift() ?? this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // passes the slot on, so that no other caller can take it in between
      this.#report();
    }
  }

  #report(): void {
    this.#options.onLength?.(this.#running + this.#first.length + this.#waiting.length);
  }

  #turn(queue: (() => void)[]): Promise<void> {
    const { queueMax, retryAfter } = this.#options;
    if (queue.length >= queueMax) throw fail("overloaded", { retryAfter });
    return new Promise((resolve) => {
      queue.push(resolve);
      this.#report();
    });
  }
}

/**
 * Serializes acts with the same key, in the order of arrival. It covers this node only; the database decides between
 * nodes.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `act` after all earlier acts with this key have ended, whether they succeeded or failed. */
  async run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const run = before === undefined ? act() : before.then(act, act);
    this.#tails.set(key, run);
    try {
      return await run;
    } finally {
      if (this.#tails.get(key) === run) this.#tails.delete(key);
    }
  }
}
