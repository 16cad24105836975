/** A value that is here already, or will be. What is in memory is answered at once; the rest costs a promise. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with the value. Without a promise when it is here: on the busiest roads the promises of answers that are in memory cost
 * more than the answers. Off those roads `await` reads better.
 */
export function then<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What is here already; undefined when it will only be. Who waits for it asks again, and is told then if it fails. */
export function atOnce<T>(value: Soon<T>): T | undefined {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  return undefined;
}
