import { ParleyError } from "@parley/sdk/errors";

/** What could not be had is asked for again after so long. */
export const RETRY_MS = 10_000;

/** Does it until it succeeds, or is refused for good; `complain` hears why not, once. Gives back what ends the trying. */
export function untilDone(act: () => Promise<unknown>, complain: (error: unknown) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isTold = false;
  const run = () => {
    act().catch((error: unknown) => {
      if (isOver) return;
      if (!isTold) complain(error);
      isTold = true;
      if (!isRefusal(error)) timer = setTimeout(run, RETRY_MS);
    });
  };
  run();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** A Parley server's word on what was asked. What it has no time for it may do later, and a proxy that is no Parley server may go away. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ParleyError &&
  error.code !== "invalid_answer" &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429;
