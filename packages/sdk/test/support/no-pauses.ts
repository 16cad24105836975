import { spyOn } from "bun:test";

/**
 * Lets timers run at once, until it is disposed, and keeps in `pauses` how many milliseconds they were asked to wait: a
 * test sees how long a client rests without resting.
 */
export function noPauses(): Disposable & { readonly pauses: number[] } {
  const pauses: number[] = [];
  const later = globalThis.setTimeout;
  const hurry = spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, ms = 0) => {
    pauses.push(ms);
    return later(act);
  }) as typeof setTimeout);
  return { pauses, [Symbol.dispose]: () => hurry.mockRestore() };
}
