/** A wait consists of steps: after each, an answer that has arrived is read before the next one. */
const STEPS = 5;

/**
 * Returns the answer, and rejects with `RedisUnavailable` if Redis does not answer in so many milliseconds. A node that
 * is too busy to read the answer must not conclude that Redis is silent: it would count alone just when it is flooded.
 * Hence several short timers, between which answers are read.
 */
export function answerWithin<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = STEPS;
    const step = () => {
      if (left-- > 0) timer = setTimeout(step, ms / STEPS);
      else reject(new RedisUnavailable(`Redis did not answer in ${ms} ms.`));
    };
    let timer: Timer | undefined;
    step();
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Redis did not answer, or there is no connection to it. */
export class RedisUnavailable extends Error {
  override readonly name = "RedisUnavailable";
}

/** True if Redis answered a command with an error; false if it did not answer. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_REDIS_SERVER_ERROR";
