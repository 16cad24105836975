/** A set of listeners. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (value: T) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  /** An exception of one listener does not affect the others; the runtime reports it. */
  tell(value: T): void {
    for (const listener of [...this.#all]) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
