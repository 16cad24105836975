/** A value or a promise of one. Values in memory are returned at once; only others cost a promise. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value, synchronously if it is available. On the hottest paths, promises of values in memory
 * would cost more than the values themselves. Elsewhere `await` reads better.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Returns the value if it is available, else undefined. Ignores a rejection here: callers that await the promise get
 * it.
 */
export function valueIfReady<T>(value: MaybePromise<T>): T | undefined {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  return undefined;
}
