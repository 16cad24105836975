/** Limits of requests that run at a time. */
export interface SlotLimits {
  /** In all. */
  total: number;
  /** For each key, such as a host. */
  perKey: number;
  /** Callers that may wait. */
  waiting: number;
}

interface Waiter {
  keys: readonly string[];
  start(): void;
}

/**
 * Limits how many acts run at a time, in all and for each key: slow hosts of one user must not keep those of others
 * waiting. Waiting acts start in order, but one whose keys are busy lets later ones pass.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Runs the act when there is a slot for all of its keys; undefined, without running it, if too many wait. */
  async run<T>(keys: readonly string[], act: () => Promise<T>): Promise<T | undefined> {
    const unique = [...new Set(keys)];
    if (this.#isFree(unique)) this.#take(unique);
    else {
      if (this.#waiting.length >= this.#limits.waiting) return undefined;
      await new Promise<void>((start) => this.#waiting.push({ keys: unique, start }));
    }
    try {
      return await act();
    } finally {
      this.#release(unique);
    }
  }

  #isFree(keys: readonly string[]): boolean {
    return this.#total < this.#limits.total && keys.every((key) => (this.#running.get(key) ?? 0) < this.#limits.perKey);
  }

  #take(keys: readonly string[]): void {
    this.#total += 1;
    for (const key of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #release(keys: readonly string[]): void {
    this.#total -= 1;
    for (const key of keys) {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
    }
    for (let at = 0; at < this.#waiting.length && this.#total < this.#limits.total; ) {
      const next = this.#waiting[at];
      if (next === undefined || !this.#isFree(next.keys)) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      // Taken here, so that no other caller can take it in between.
      this.#take(next.keys);
      next.start();
    }
  }
}
