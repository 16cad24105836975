/** Who wants to hear of something. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Gives back what ends the listening. */
  add(listener: (value: T) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  /** A listener that throws is its own affair: the others hear, and the runtime reports it. */
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
