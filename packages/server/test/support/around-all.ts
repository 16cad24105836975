import { afterAll, beforeAll } from "bun:test";

/** Servers, chains and databases on a busy machine. */
const SLOW_MS = 60_000;

/** Opens something before the tests around this call, hands it to `take`, and closes it after them. */
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
