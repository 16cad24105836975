import { type Backoff, isAborted, pause, waitMs } from "./backoff.ts";
import { ParleyError } from "./errors.ts";
import type { RequestOptions } from "./request-options.ts";

/** True for errors that a retry can outlive. A 500 is a bug of the server, which the next release may fix. */
export const isTemporary = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && (error.retryable || error.status >= 500);

/** Waits before another attempt: as long as the server asked for, at least with backoff, or until the signal is aborted. */
export const pauseAfter = (
  error: ParleyError,
  attempt: number,
  backoff: Backoff,
  signal: AbortSignal | undefined,
): Promise<void> => pause(Math.max((error.retryAfter ?? 0) * 1_000, waitMs(attempt, backoff, Math.random())), signal);

/**
 * Calls until it succeeds or a retry cannot help; null if the signal was aborted first. Retries are not limited unless
 * `maxRetries` is given.
 */
export async function retryForever<T>(
  call: (each: RequestOptions) => Promise<T>,
  options: RequestOptions,
  backoff: Backoff,
): Promise<T | null> {
  const { signal, maxRetries = Number.POSITIVE_INFINITY } = options;
  const each = options.maxRetries === undefined ? options : { ...options, maxRetries: 0 };
  for (let attempt = 0; attempt === 0 || !isAborted(signal); attempt += 1) {
    try {
      return await call(each);
    } catch (error) {
      if (isAborted(signal)) return null;
      if (!isTemporary(error) || attempt >= maxRetries) throw error;
      await pauseAfter(error, attempt, backoff, signal);
    }
  }
  return null;
}
