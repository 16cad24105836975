import { useSyncExternalStore } from "react";

/** An observable value, which is replaced and never mutated. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  /** Sets the value, and notifies the listeners if it changed. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  change(by: (value: T) => T): void {
    this.set(by(this.#value));
  }

  /** Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

/** Resolves as soon as the store's value fulfils the condition. */
export function until<T>(store: Store<T>, isMet: (value: T) => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isMet(store.get())) return resolve();
    const stop = store.subscribe(() => {
      if (!isMet(store.get())) return;
      stop();
      resolve();
    });
  });
}

/** Subscribes a component to a store's value, also one that is rendered without a browser. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}
