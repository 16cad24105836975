import type { AppContext } from "../../../src/context.ts";
import { usualTiming } from "../../../src/timing.ts";

/** How long an impatient server waits for another server's answer, in milliseconds. */
const IMPATIENCE_MS = 300;

/**
 * Runs `act` while the server waits only briefly for other servers. Whatever must answer in `act` has to answer within
 * that time, also on a busy machine.
 */
export async function impatiently<T>(
  { ctx }: { ctx: AppContext },
  act: () => Promise<T>,
  answerMaxMs = IMPATIENCE_MS,
): Promise<T> {
  Object.assign(ctx.timing, { answerMaxMs });
  try {
    return await act();
  } finally {
    Object.assign(ctx.timing, { answerMaxMs: usualTiming.answerMaxMs });
  }
}
