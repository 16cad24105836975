import type { CLOSE as CloseCodes } from "@parley/protocol/realtime";

/**
 * The protocol's close codes. The type comes from the protocol, so the two cannot diverge; the protocol's schemas are
 * not loaded for six numbers.
 */
export const CLOSE: typeof CloseCodes = {
  restart: 1012,
  badFrames: 4400,
  sessionOver: 4401,
  accessEnded: 4403,
  tooFast: 4408,
  tooSlow: 4409,
};

/** Backoff settings. */
export interface Backoff {
  /** Upper bound of the first wait. */
  firstMs: number;
  /** Upper bound of every wait. */
  maxMs: number;
}

export const BACKOFF: Backoff = { firstMs: 500, maxMs: 20_000 };

/** A restarting server returns soon; its clients reconnect spread over this time, unless it names another one. */
export const RESTART_SPREAD_MS = 1_000;
/** Minimum wait after a close for sending too fast. */
const TOO_FAST_MS = 2_000;

/**
 * Returns the wait before attempt `attempt` (from 0): exponential, with jitter between half and all of it, so that
 * clients that lost the server together do not reconnect together.
 */
export function waitMs(attempt: number, { firstMs, maxMs }: Backoff, chance: number): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return whole / 2 + (whole / 2) * chance;
}

/**
 * Returns the wait that a socket's close code requires, or null: do not reconnect automatically. `spreadMs` is the time
 * over which a restarting server wants its clients to return (`server:draining`).
 */
export function waitAfterClose(
  code: number,
  attempt: number,
  backoff: Backoff,
  chance: number,
  spreadMs = RESTART_SPREAD_MS,
): number | null {
  switch (code) {
    case CLOSE.sessionOver:
    case CLOSE.accessEnded:
      return null;
    case CLOSE.restart:
      return attempt === 0 ? Math.min(spreadMs, backoff.maxMs) * chance : waitMs(attempt, backoff, chance);
    case CLOSE.tooSlow:
      // Everything is resumed by seq; only a client that is repeatedly too slow waits.
      return attempt === 0 ? 0 : waitMs(attempt, backoff, chance);
    case CLOSE.tooFast:
      return TOO_FAST_MS + waitMs(attempt, backoff, chance);
    default:
      return waitMs(attempt, backoff, chance);
  }
}

/** Returns whether the signal is aborted. A function, because the value may change between two checks. */
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
