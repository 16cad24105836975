import { type AppContext, perServer } from "../context.ts";

/** Longer than any grace period; a key that ends later still is looked at again by then. */
const LONGEST_MS = 25 * 3_600_000;

const endings = perServer((ctx) => {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  ctx.onClose(() => {
    for (const timer of timers.values()) clearTimeout(timer);
  });
  return timers;
});

/** Runs `act` when a key that was given an end in the future reaches it: streams that are open by then would not ask. */
export function atKeyEnd(ctx: AppContext, keyId: string, inMs: number, act: () => void): void {
  const timers = endings(ctx);
  clearTimeout(timers.get(keyId));
  const timer = setTimeout(
    () => {
      timers.delete(keyId);
      act();
    },
    Math.min(inMs, LONGEST_MS),
  );
  timer.unref();
  timers.set(keyId, timer);
}
