import { startBackgroundJob } from "../base/background-job.ts";
import { duty } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { forgetSpentKeys } from "../messages/append/spent-keys.ts";
import { agedPass } from "./aged.ts";
import { expirePass } from "./expired.ts";

/** Expired messages are gone after at most this time, and after a crash of the node that removes them some 17 s later. */
const EXPIRE_MS = 10_000;
const RETRY_MS = 60_000;
const PASS_MS = 60 * 60_000;
/** How often a step may be taken, and the share of the time that steps may take: one holds up the senders of its channel. */
const STEP_MS = 1_000;
export const STEPS_SHARE = 1 / 20;

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
    const began = ctx.clock.monotonic();
    // A pass that fails begins again after a while.
    nextAt = began + RETRY_MS;
    const { done } = await pass.next().catch((error: unknown) => {
      pass = undefined;
      throw error;
    });
    const now = ctx.clock.monotonic();
    nextAt = now + (now - began) / STEPS_SHARE;
    if (done !== true) return;
    await forgetSpentKeys(ctx);
    pass = undefined;
    nextAt = ctx.clock.monotonic() + PASS_MS;
  });
}
