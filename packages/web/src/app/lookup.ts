import { useCallback, useSyncExternalStore } from "react";
import { RETRY_MS } from "./until-done.ts";

/** What is asked for within this time is one question. */
const TOGETHER_MS = 20;
/** Values nobody looks at are let go beyond so many. */
const KEPT = 2_000;

interface Parts<K, V> {
  /** The values of these keys; what is left out is nothing (`null`). */
  ask(keys: readonly K[]): Promise<ReadonlyMap<K, V>>;
  /** Keys in one question, at most. */
  most: number;
}

/**
 * Values that are asked for when somebody looks at them: of many keys in one question, each once.
 *
 * Promise: what was `put` is newer than any answer that was on its way then. A question that failed is asked again after a
 * while, or by `retry` or `refresh` before that.
 */
export class Lookup<K, V> {
  readonly #parts: Parts<K, V>;
  /** null: there is nothing. */
  readonly #known = new Map<K, V | null>();
  readonly #lookers = new Map<K, Set<() => void>>();
  readonly #wanted = new Set<K>();
  readonly #asked = new Set<K>();
  /** What could not be had; what is known of it may be old. */
  readonly #failed = new Set<K>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts forgettings: an answer of before is none. */
  #run = 0;

  constructor(parts: Parts<K, V>) {
    this.#parts = parts;
  }

  /** undefined: not known yet; null: there is none. */
  get(key: K): V | null | undefined {
    return this.#known.get(key);
  }

  /** What is known from elsewhere. */
  put(key: K, value: V | null): void {
    this.#wanted.delete(key);
    this.#asked.delete(key);
    this.#set(key, value);
  }

  /** Looks at a key until the returned function is called; asks for it when it is not known. */
  look(key: K, onChange: () => void): () => void {
    const lookers = this.#lookers.get(key) ?? new Set();
    this.#lookers.set(key, lookers.add(onChange));
    if (this.#isOwed(key)) this.#want(key);
    return () => {
      lookers.delete(onChange);
      if (lookers.size === 0 && this.#lookers.get(key) === lookers) this.#lookers.delete(key);
    };
  }

  /** Changes may have been missed: asks anew for what is looked at, which stays until then, and forgets the rest. */
  refresh(): void {
    this.#run += 1;
    this.#asked.clear();
    for (const key of [...this.#known.keys()]) if (!this.#lookers.has(key)) this.#known.delete(key);
    for (const key of this.#lookers.keys()) this.#want(key);
  }

  /** The server is there again: asks for what is looked at and could not be had. */
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
      // Nothing is shown in its place, or what was known before.
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

/** A looked up value in a component; null for the key: nothing is looked up. */
export function useLookup<K, V>(lookup: Lookup<K, V>, key: K | null): V | null | undefined {
  const look = useCallback(
    (onChange: () => void) => (key === null ? () => {} : lookup.look(key, onChange)),
    [lookup, key],
  );
  return useSyncExternalStore(look, () => (key === null ? null : lookup.get(key)));
}
