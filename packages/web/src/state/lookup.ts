import { useCallback, useSyncExternalStore } from "react";
import { RETRY_MS } from "./retry.ts";

/** Keys requested within this time are batched. */
const TOGETHER_MS = 20;
/** Beyond this many values, unused ones are evicted. */
const KEPT = 2_000;

interface LookupOptions<K, V> {
  /** Returns the values of these keys; a missing key has none (`null`). */
  fetch(keys: readonly K[]): Promise<ReadonlyMap<K, V>>;
  /** Maximum number of keys in a request. */
  maxKeys: number;
}

/**
 * Values that are requested when a component uses them: keys are batched, each is requested once.
 *
 * Promise: a value from `put` wins over any response that was in flight then. A failed request is repeated after a while,
 * or earlier by `retry` or `refresh`.
 */
export class Lookup<K, V> {
  readonly #options: LookupOptions<K, V>;
  /** null: there is no value. */
  readonly #known = new Map<K, V | null>();
  readonly #listeners = new Map<K, Set<() => void>>();
  readonly #queued = new Set<K>();
  readonly #requested = new Set<K>();
  /** Keys whose request failed; their known values may be stale. */
  readonly #failed = new Set<K>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts resets; a response from before a reset is discarded. */
  #run = 0;

  constructor(options: LookupOptions<K, V>) {
    this.#options = options;
  }

  /** undefined: not known yet; null: there is none. */
  get(key: K): V | null | undefined {
    return this.#known.get(key);
  }

  /** Sets a value known from elsewhere. */
  put(key: K, value: V | null): void {
    this.#queued.delete(key);
    this.#requested.delete(key);
    this.#set(key, value);
  }

  /** Subscribes to a key until the returned function is called; requests it if it is not known. */
  watch(key: K, onChange: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(onChange));
    if (this.#isMissing(key)) this.#queue(key);
    return () => {
      listeners.delete(onChange);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  /** Refetches the keys in use, because changes may have been missed; their values stay until then, and the others are evicted. */
  refresh(): void {
    this.#run += 1;
    this.#requested.clear();
    for (const key of [...this.#known.keys()]) if (!this.#listeners.has(key)) this.#known.delete(key);
    for (const key of this.#listeners.keys()) this.#queue(key);
  }

  /** Requests the failed keys in use again; called when the server is reachable again. */
  retry(): void {
    for (const key of this.#listeners.keys()) if (this.#isMissing(key)) this.#queue(key);
  }

  #isMissing(key: K): boolean {
    return !this.#known.has(key) || this.#failed.has(key);
  }

  #queue(key: K): void {
    if (this.#requested.has(key)) return;
    this.#queued.add(key);
    this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS);
  }

  #flush(): void {
    this.#timer = undefined;
    const keys = [...this.#queued];
    this.#queued.clear();
    for (let at = 0; at < keys.length; at += this.#options.maxKeys)
      void this.#fetch(keys.slice(at, at + this.#options.maxKeys));
  }

  async #fetch(keys: readonly K[]): Promise<void> {
    const run = this.#run;
    for (const key of keys) this.#requested.add(key);
    try {
      const found = await this.#options.fetch(keys);
      if (run !== this.#run) return;
      for (const key of keys) if (this.#requested.delete(key)) this.#set(key, found.get(key) ?? null);
    } catch {
      // Show nothing, or the previous value.
      if (run !== this.#run) return;
      for (const key of keys) if (this.#requested.delete(key)) this.#failed.add(key);
      setTimeout(() => this.retry(), RETRY_MS);
    }
  }

  #set(key: K, value: V | null): void {
    this.#failed.delete(key);
    if (this.#known.get(key) === value) return;
    this.#known.set(key, value);
    if (this.#known.size > KEPT) this.#evict();
    for (const onChange of [...(this.#listeners.get(key) ?? [])]) onChange();
  }

  #evict(): void {
    for (const key of [...this.#known.keys()]) if (!this.#listeners.has(key)) this.#known.delete(key);
  }
}

/** Subscribes a component to a value; with null as the key it looks up nothing. */
export function useLookup<K, V>(lookup: Lookup<K, V>, key: K | null): V | null | undefined {
  const subscribe = useCallback(
    (onChange: () => void) => (key === null ? () => {} : lookup.watch(key, onChange)),
    [lookup, key],
  );
  return useSyncExternalStore(subscribe, () => (key === null ? null : lookup.get(key)));
}
