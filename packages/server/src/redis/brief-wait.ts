import { RedisUnavailable } from "./redis-link.ts";

/** The wait consists of steps: after each, an answer that has arrived is read before the next one. */
const STEPS = 5;
const STEP_MS = 10;

/** The timeout of a command whose answer `waitBriefly` awaits, in milliseconds: a late answer is still read. */
export const GIVE_UP_MS = 5_000;

/**
 * Returns the answer, and rejects if Redis does not answer in 50 ms. A node that is too busy to read the answer must
 * not conclude that Redis is silent: it would count alone just when it is flooded. Hence several short timers, between
 * which answers are read.
 */
export function waitBriefly<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = STEPS;
    const step = () => {
      if (left-- > 0) timer = setTimeout(step, STEP_MS);
      else reject(new RedisUnavailable(`Redis did not answer in ${STEPS * STEP_MS} ms.`));
    };
    let timer: Timer | undefined;
    step();
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
