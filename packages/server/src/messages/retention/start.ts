import { startBackgroundJob } from "../../base/background-job.ts";
import { duty } from "../../cluster/duties.ts";
import type { AppContext } from "../../context.ts";
import { agedPass } from "./aged.ts";
import { expirePass } from "./expired.ts";
import { forgetSpentKeys } from "./spent-keys.ts";

/** Expired messages are gone after at most this time, and after a crash of the node that removes them some 17 s later. */
const EXPIRE_MS = 10_000;
const RETRY_MS = 60_000;
const PASS_MS = 60 * 60_000;
/**
 * The rest after each transaction of an hourly pass. One takes about 50 ms, so that senders keep well above 90 % of the
 * database.
 */
const STEP_MS = 1_000;

/** Starts the removal of expired messages, and the hourly removal of those above their channels' limits, on one node. */
export function startRetention(ctx: AppContext): void {
  runExpiry(ctx);
  runAged(ctx);
}

function runExpiry(ctx: AppContext): void {
  const isOwn = duty(ctx, "remove expired messages");
  startBackgroundJob(ctx, EXPIRE_MS, "the removal of expired messages failed", async () => {
    while (isOwn() && (await expirePass(ctx))) await new Promise(setImmediate);
  });
}

/** Takes one step of the pass at a time, so that a stopping server waits for one transaction only. */
function runAged(ctx: AppContext): void {
  const isOwn = duty(ctx, "purge old messages");
  let pass: AsyncGenerator<number, void> | undefined;
  let nextAt = ctx.clock.monotonic() + STEP_MS;
  startBackgroundJob(ctx, STEP_MS, "the purge of old messages failed", async () => {
    if (!isOwn()) pass = undefined;
    if (!isOwn() || ctx.clock.monotonic() < nextAt) return;
    pass ??= agedPass(ctx);
    // A pass that fails begins again after a while.
    nextAt = ctx.clock.monotonic() + RETRY_MS;
    const { done } = await pass.next().catch((error: unknown) => {
      pass = undefined;
      throw error;
    });
    nextAt = 0;
    if (done !== true) return;
    await forgetSpentKeys(ctx);
    pass = undefined;
    nextAt = ctx.clock.monotonic() + PASS_MS;
  });
}
