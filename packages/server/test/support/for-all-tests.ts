import { afterAll } from "bun:test";

/** Time for servers, chains and databases to start or to stop on a busy machine. */
const SLOW_MS = 60_000;

/**
 * Waits for what the tests of a file share, such as `startTestServer()`, and closes it after the last of them. In an
 * `async` function of `describe` or `eachDatabase`, that is after the last test there.
 */
export async function forAllTests<T extends AsyncDisposable>(opening: T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // Bun has no time limit for what a file does before its tests.
  const timer = setTimeout(() => late.reject(new Error(`The set-up took more than ${SLOW_MS} ms.`)), SLOW_MS);
  const opened = await Promise.race([opening, late.promise]).finally(() => clearTimeout(timer));
  afterAll(() => opened[Symbol.asyncDispose](), SLOW_MS);
  return opened;
}
