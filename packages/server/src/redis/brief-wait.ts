import { RedisUnavailable } from "./redis-link.ts";

/** The patience, in steps: after a step, an answer that has arrived is read before the next one. */
const STEPS = 5;
const STEP_MS = 10;

/** When an answer that `soon` no longer waits for is given up. */
export const LATEST_MS = 5_000;

/**
 * Rejects if Redis does not answer in 50 ms. A node that is itself too busy to read the answer must not take Redis for
 * silent: it would count alone just when it is flooded. Hence several short timers, between which answers are read.
 */
export function soon<T>(answer: Promise<T>): Promise<T> {
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
