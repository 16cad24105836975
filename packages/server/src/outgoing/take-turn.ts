import type { Claim, Slots } from "../base/slots.ts";
import { fail } from "../errors.ts";

/**
 * Runs a request when there is a slot for it. For services of the operator's choice, which strangers make the server
 * ask; `Outgoing` has slots of its own.
 * @throws overloaded, before anything was sent, if there was no slot for too long; and what the request throws
 */
export async function takeTurn<Share extends string, T>(
  slots: Slots<Share>,
  claim: Claim<Share>,
  { retryAfter }: { retryAfter: number },
  request: () => Promise<T>,
): Promise<T> {
  const done = await slots.run(claim, async () => ({ result: await request() }));
  if (done === undefined) throw fail("overloaded", { retryAfter });
  return done.result;
}
