import { type AppContext, perServer } from "../../context.ts";

/** Longer than any grace period. A key that ends later is checked again by then. */
const LONGEST_MS = 25 * 3_600_000;

const endings = perServer((ctx) => {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  ctx.onClose(() => {
    for (const timer of timers.values()) clearTimeout(timer);
  });
  return timers;
});

/**
 * Runs `act` when a key with a future end reaches it, because open streams do not check the key again by themselves.
 */
export function onKeyExpiry(ctx: AppContext, keyId: string, inMs: number, act: () => void): void {
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
