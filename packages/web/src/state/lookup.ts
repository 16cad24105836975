import { useCallback, useSyncExternalStore } from "react";
import { RETRY_MS } from "./retry.ts";

/** Keys requested within this time are batched. */
const TOGETHER_MS = 20;
/** Beyond this many values, unused ones are evicted. */
const KEPT = 2_000;

interface Parts<K, V> {
  /** Returns the values of these keys; a missing key has none (`null`). */
  ask(keys: readonly K[]): Promise<ReadonlyMap<K, V>>;
  /** Maximum number of keys in a request. */
  most: number;
}

/**
 * Values that are requested when a component uses them: keys are batched, each is requested once.
 *
 * Promise: a value from `put` wins over any response that was in flight then. A failed request is repeated after a while,
 * or earlier by `retry` or `refresh`.
 */
export class Lookup<K, V> {
  readonly #parts: Parts<K, V>;
  /** null: there is no value. */
  readonly #known = new Map<K, V | null>();
  readonly #lookers = new Map<K, Set<() => void>>();
  readonly #wanted = new Set<K>();
  readonly #asked = new Set<K>();
  /** Keys whose request failed; their known values may be stale. */
  readonly #failed = new Set<K>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts resets; a response from before a reset is discarded. */
  #run = 0;

  constructor(parts: Parts<K, V>) {
    this.#parts = parts;
  }

  /** undefined: not known yet; null: there is none. */
  get(key: K): V | null | undefined {
    return this.#known.get(key);
  }

  /** Sets a value known from elsewhere. */
  put(key: K, value: V | null): void {
    this.#wanted.delete(key);
    this.#asked.delete(key);
    this.#set(key, value);
  }

  /** Subscribes to a key until the returned function is called; requests it if it is not known. */
  look(key: K, onChange: () => void): () => void {
    const lookers = this.#lookers.get(key) ?? new Set();
    this.#lookers.set(key, lookers.add(onChange));
    if (this.#isOwed(key)) this.#want(key);
    return () => {
      lookers.delete(onChange);
      if (lookers.size === 0 && this.#lookers.get(key) === lookers) this.#lookers.delete(key);
    };
  }

  /** Refetches the keys in use, because changes may have been missed; their values stay until then, and the others are evicted. */
  refresh(): void {
    this.#run += 1;
    this.#asked.clear();
    for (const key of [...this.#known.keys()]) if (!this.#lookers.has(key)) this.#known.delete(key);
    for (const key of this.#lookers.keys()) this.#want(key);
  }

  /** Requests the failed keys in use again; called when the server is reachable again. */
  retry(): void {
    for (const key of this.#lookers.keys()) if (this.#isOwed(key)) this.#want(key);
  }

  #isOwed(key: K): boolean {
    return !this.#known.has(key) || this.#failed.has(key);
  }

  #want(key: K): void {
    if (this.#asked.has(key)) return;
    this.#wanted.add(key);
    this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS);
  }

  #flush(): void {
    this.#timer = undefined;
    const keys = [...this.#wanted];
    this.#wanted.clear();
    for (let at = 0; at < keys.length; at += this.#parts.most) void this.#ask(keys.slice(at, at + this.#parts.most));
  }

  async #ask(keys: readonly K[]): Promise<void> {
    const run = this.#run;
    for (const key of keys) this.#asked.add(key);
    try {
      const found = await this.#parts.ask(keys);
      if (run !== this.#run) return;
      for (const key of keys) if (this.#asked.delete(key)) this.#set(key, found.get(key) ?? null);
    } catch {
      // Show nothing, or the previous value.
      if (run !== this.#run) return;
      for (const key of keys) if (this.#asked.delete(key)) this.#failed.add(key);
      setTimeout(() => this.retry(), RETRY_MS);
    }
  }

  #set(key: K, value: V | null): void {
    this.#failed.delete(key);
    if (this.#known.get(key) === value) return;
    this.#known.set(key, value);
    if (this.#known.size > KEPT) this.#letGo();
    for (const onChange of [...(this.#lookers.get(key) ?? [])]) onChange();
  }

  #letGo(): void {
    for (const key of [...this.#known.keys()]) if (!this.#lookers.has(key)) this.#known.delete(key);
  }
}

/** Subscribes a component to a value; with null as the key it looks up nothing. */
export function useLookup<K, V>(lookup: Lookup<K, V>, key: K | null): V | null | undefined {
  const look = useCallback(
    (onChange: () => void) => (key === null ? () => {} : lookup.look(key, onChange)),
    [lookup, key],
  );
  return useSyncExternalStore(look, () => (key === null ? null : lookup.get(key)));
}
