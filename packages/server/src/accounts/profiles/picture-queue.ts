import { ConcurrencyLimiter } from "../../base/concurrency-limiter.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";

/** Maximum queue length; at one second a picture, the last one does not outlast client timeouts. */
const WAITING_MAX = 16;

const turns = perServer(({ metrics }) => ({
  limiter: new ConcurrencyLimiter({
    concurrency: 1,
    queueMax: WAITING_MAX,
    retryAfter: WAITING_MAX,
    onLength: (length) => metrics.pictureQueueIs(length),
  }),
  accounts: new Set<number>(),
}));

/**
 * Runs acts one at a time, with at most one pending per account, so that one account delays others by at most one
 * picture.
 * @throws rate_limited while an earlier picture of the account is pending, overloaded when the queue is full
 */
export async function inPictureTurn<T>(ctx: AppContext, userId: number, act: () => Promise<T>): Promise<T> {
  const { limiter, accounts } = turns(ctx);
  if (accounts.has(userId)) {
    throw fail("rate_limited", {
      message: "Your last picture is still being processed. Try again shortly.",
      retryAfter: 1,
    });
  }
  accounts.add(userId);
  try {
    return await slowly(ctx, "picture", () => limiter.run(act));
  } finally {
    accounts.delete(userId);
  }
}
