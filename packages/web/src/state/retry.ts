import { ParleyError } from "@parley/sdk";

/** Failed requests are retried after this long. */
export const RETRY_MS = 10_000;

/**
 * Retries `action` until it succeeds or is permanently refused; `onError` receives the first error. Returns a function
 * that stops the retries.
 */
export function retryUntilDone(action: () => Promise<unknown>, onError: (error: unknown) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let isReported = false;
  const run = () => {
    action().catch((error: unknown) => {
      if (isStopped) return;
      if (!isReported) onError(error);
      isReported = true;
      if (!isRefusal(error)) timer = setTimeout(run, RETRY_MS);
    });
  };
  run();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** True if a Parley server rejected the request. Overload and a proxy's errors may be temporary. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ParleyError &&
  error.code !== "invalid_answer" &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429;
