import { afterAll, beforeAll } from "bun:test";

/** Time for servers, chains and databases to start on a busy machine. */
const SLOW_MS = 60_000;

/** Opens a resource before the tests around this call, passes it to `take`, and closes it after them. */
export function aroundAll<T extends AsyncDisposable>(
  open: () => Promise<T>,
  take: (opened: T) => void | Promise<void>,
): void {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
    await take(opened);
  }, SLOW_MS);
  afterAll(async () => opened?.[Symbol.asyncDispose](), SLOW_MS);
}
