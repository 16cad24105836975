/**
 * A bounded read-through cache with LRU eviction. A value that is invalidated while loading is returned to its waiters
 * but not cached.
 */
export class LoadingCache<K, V> {
  readonly #limit: number;
  readonly #values = new Map<K, V>();
  readonly #loading = new Map<K, Promise<V>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the cached value; undefined if there is none. */
  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    // Order matters only in a full cache: nothing is evicted before.
    if (this.#values.size >= this.#limit) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  /** Loads the value once for all concurrent callers. `keep` may decline to cache it. */
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
