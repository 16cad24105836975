import type { Log } from "../logging/log.ts";
import { intervalOf, type Timing } from "../timing.ts";

/** The owner of a background job, such as an `AppContext`. */
export interface Host {
  readonly log: Pick<Log, "warn">;
  readonly timing: Pick<Timing, "jobRate">;
  onClose(act: () => void | Promise<void>): void;
}

/**
 * Runs a background job for as long as the server runs: one pass at a time, the next when `everyMs` have passed and the
 * last one is over; `ctx.timing` shortens that. A failed pass is logged as `complaint`, and the next one runs as usual. Shutdown waits for a pass
 * in progress, so that nothing is written after it.
 */
export function startBackgroundJob(ctx: Host, everyMs: number, complaint: string, pass: () => Promise<unknown>): void {
  let running: Promise<void> | null = null;
  const once = async () => {
    try {
      await pass();
    } catch (error) {
      ctx.log.warn({ err: error }, complaint);
    }
    running = null;
  };
  const timer = setInterval(
    () => {
      running ??= once();
    },
    intervalOf(ctx, everyMs),
  );
  timer.unref();
  ctx.onClose(async () => {
    clearInterval(timer);
    await running;
  });
}
