import { LRUCache } from "lru-cache";

/**
 * A bounded read-through cache with LRU eviction. A value that is invalidated while loading is returned to its waiters
 * but not cached.
 */
export class LoadingCache<K extends {}, V> {
  /** lru-cache keeps `null` like any other value; only its types exclude it. */
  readonly #values: LRUCache<K, V & {}>;
  /** Not entries of `#values` (lru-cache's `fetch`): a load of a missing key would evict an existing value. */
  readonly #loading = new Map<K, Promise<V>>();

  constructor(max: number) {
    this.#values = new LRUCache({ max });
  }

  /** Returns the cached value; undefined if there is none. */
  get(key: K): V | undefined {
    return this.#values.get(key);
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
    this.#values.set(key, value as V & {});
  }

  forget(key: K): void {
    this.#values.delete(key);
    this.#loading.delete(key);
  }

  /** Forgets the keys that match. Looks at every key, so it is for rare events. */
  forgetWhere(matches: (key: K) => boolean): void {
    for (const key of [...this.#values.keys(), ...this.#loading.keys()]) if (matches(key)) this.forget(key);
  }

  /** Forgets everything; values that are being loaded are not cached. */
  clear(): void {
    this.#values.clear();
    this.#loading.clear();
  }

  get size(): number {
    return this.#values.size;
  }
}
