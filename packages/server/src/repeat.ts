import type { Log } from "./log.ts";

/** Where it happens: an `AppContext` is one. */
export interface Host {
  readonly log: Pick<Log, "warn">;
  onClose(act: () => void | Promise<void>): void;
}

/**
 * Does something again and again in the background, for as long as the server runs: one pass at a time, the next when `everyMs` have gone by
 * and the last is over. One that fails is logged as `complaint`, and the next is made all the same. What is under way when the server closes is
 * waited for, so that nothing is written behind its back.
 */
export function repeat(ctx: Host, everyMs: number, complaint: string, pass: () => Promise<unknown>): void {
  let running: Promise<void> | null = null;
  const once = async () => {
    try {
      await pass();
    } catch (error) {
      ctx.log.warn({ err: error }, complaint);
    }
    running = null;
  };
  const timer = setInterval(() => {
    running ??= once();
  }, everyMs);
  timer.unref();
  ctx.onClose(async () => {
    clearInterval(timer);
    await running;
  });
}
