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
