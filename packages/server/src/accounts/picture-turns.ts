import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { Gate } from "../gate.ts";

/** Pictures that may wait; at a second each, the last one waits no longer than clients do. */
const WAITING_MAX = 16;

const turns = perServer(({ metrics }) => ({
  gate: new Gate({
    atOnce: 1,
    queueMax: WAITING_MAX,
    retryAfter: WAITING_MAX,
    onLength: (length) => metrics.pictureQueueIs(length),
  }),
  accounts: new Set<number>(),
}));

/**
 * Runs acts one after the other, at most one of each account: however many pictures one account sends, other accounts wait for one of them only.
 * @throws rate_limited while an earlier picture of the account waits or is decoded, overloaded when too many wait
 */
export async function inPictureTurn<T>(ctx: AppContext, userId: number, act: () => Promise<T>): Promise<T> {
  const { gate, accounts } = turns(ctx);
  if (accounts.has(userId)) {
    throw fail("rate_limited", { message: "Your last picture is still being read; try again.", retryAfter: 1 });
  }
  accounts.add(userId);
  try {
    return await gate.run(act);
  } finally {
    accounts.delete(userId);
  }
}
