/**
 * A bounded read-through cache: the least recently used entry goes first, and a value that was forgotten while it was being read is
 * handed to those who wait for it, but not kept.
 */
export class LoadingCache<K, V> {
  readonly #limit: number;
  readonly #values = new Map<K, V>();
  readonly #loading = new Map<K, Promise<V>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What is kept; undefined when nothing is. */
  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    // Only a full cache has an order to look after: until then nothing is ever dropped.
    if (this.#values.size >= this.#limit) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  /** Reads the value once for all who ask while it is being read. `keep` may refuse values not worth a place. */
  load(key: K, read: () => Promise<V>, keep: (value: V) => boolean = () => true): Promise<V> {
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const loading = read().then(
      (value) => {
        if (this.#loading.get(key) === loading) {
          this.#loading.delete(key);
          if (keep(value)) this.set(key, value);
        }
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }

  set(key: K, value: V): void {
    this.#values.delete(key);
    if (this.#values.size >= this.#limit) {
      const oldest = this.#values.keys().next();
      if (!oldest.done) this.#values.delete(oldest.value);
    }
    this.#values.set(key, value);
  }

  forget(key: K): void {
    this.#values.delete(key);
    this.#loading.delete(key);
  }

  get size(): number {
    return this.#values.size;
  }
}
