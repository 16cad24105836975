import { Store } from "../state/store.ts";

interface Bounds {
  /** Of a longer list only the beginning is read. */
  max: number;
  /** The list is read again if it is older than this. */
  freshMs: number;
}

/** A list that completions suggest from, such as the members of a channel. It is read when somebody types. */
export class ListOnDemand<T> {
  readonly all = new Store<readonly T[]>([]);
  readonly #read: () => AsyncIterable<T>;
  readonly #bounds: Bounds;
  /** When the list was requested last. */
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(read: () => AsyncIterable<T>, bounds: Bounds) {
    this.#read = read;
    this.#bounds = bounds;
  }

  /** Reads the list, unless that was done lately. */
  async load(): Promise<void> {
    const { max, freshMs } = this.#bounds;
    if (performance.now() - this.#requestedAt < freshMs) return;
    this.#requestedAt = performance.now();
    try {
      const items: T[] = [];
      for await (const item of this.#read()) {
        items.push(item);
        if (items.length === max) break;
      }
      this.all.set(items);
    } catch {
      // What is known so far is suggested, and the next letter tries again.
      this.#requestedAt = Number.NEGATIVE_INFINITY;
    }
  }
}
