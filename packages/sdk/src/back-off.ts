import type { CLOSE as CloseCodes } from "@parley/protocol/realtime";

/** The protocol's close codes. Its type is the protocol's, so the two cannot differ; its schemas are not loaded for seven numbers. */
export const CLOSE: typeof CloseCodes = {
  restart: 1012,
  badFrames: 4400,
  sessionOver: 4401,
  accessEnded: 4403,
  tooFast: 4408,
  tooSlow: 4409,
};

/** How long to wait before trying again. */
export interface BackOff {
  /** The first wait is at most this. */
  firstMs: number;
  /** No wait is longer. */
  maxMs: number;
}

export const BACK_OFF: BackOff = { firstMs: 500, maxMs: 20_000 };

/** A server that restarts is back soon; its clients come back spread over this time. */
const RESTART_SPREAD_MS = 1_000;
/** Who was too fast waits at least this. */
const TOO_FAST_MS = 2_000;

/**
 * The wait before attempt number `attempt` (from 0): doubling, between half and whole of it by chance, so that many clients that lost
 * the server together do not come back together.
 */
export function waitMs(attempt: number, { firstMs, maxMs }: BackOff, chance: number): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return whole / 2 + (whole / 2) * chance;
}

/** What a closed socket's code asks for: the wait before the next try, or null: do not try again by yourself. */
export function waitAfterClose(code: number, attempt: number, backOff: BackOff, chance: number): number | null {
  switch (code) {
    case CLOSE.sessionOver:
    case CLOSE.accessEnded:
      return null;
    case CLOSE.restart:
      return attempt === 0 ? Math.min(RESTART_SPREAD_MS, backOff.maxMs) * chance : waitMs(attempt, backOff, chance);
    case CLOSE.tooSlow:
      // All is resumed by seq; only a client that is too slow again and again waits.
      return attempt === 0 ? 0 : waitMs(attempt, backOff, chance);
    case CLOSE.tooFast:
      return TOO_FAST_MS + waitMs(attempt, backOff, chance);
    default:
      return waitMs(attempt, backOff, chance);
  }
}

/** Was it aborted by now? As a function, because it may change between two looks. */
export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
