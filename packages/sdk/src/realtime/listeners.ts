/** Receives what a handler throws or rejects with. */
export type OnError = (error: unknown) => void;

/**
 * Calls a handler of the user. What it throws or rejects with is passed to `onError`, or logged without one: a faulty
 * handler neither stops its caller nor ends the process.
 */
export function callHandler(handler: () => unknown, onError: OnError = logError): void {
  const report = (error: unknown) => {
    try {
      // It may be async, too.
      Promise.resolve(onError(error) as unknown).catch(logError);
    } catch (cause) {
      logError(cause);
    }
  };
  try {
    const result = handler();
    if (isThenable(result)) result.then(undefined, report);
  } catch (error) {
    report(error);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

const logError = (error: unknown) => console.error("A Parley event handler failed:", error);

/** A set of listeners. A listener that fails does not affect the others. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();
  readonly #onError: OnError | undefined;

  constructor(onError?: OnError) {
    this.#onError = onError;
  }

  /** Returns a function that removes the listener. */
  add(listener: (value: T) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.#all]) callHandler(() => listener(value), this.#onError);
  }
}
