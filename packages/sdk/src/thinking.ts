/** Interval at which the indicator is sent again, well before it expires. */
const THINKING_MS = 5_000;

/** Reports the agent as thinking while `work` runs, and returns its result. See `AgentClient.thinking`. */
export async function whileThinking<T>(
  report: (typing: boolean) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let reported: Promise<unknown> = Promise.resolve();
  const next = (typing: boolean) => {
    // Sequential, so that the end is never sent before the start.
    reported = reported.then(() => report(typing)).catch(() => {});
  };
  next(true);
  const timer = setInterval(() => next(true), THINKING_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    next(false);
    await reported;
  }
}
