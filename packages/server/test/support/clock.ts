import { type Clock, systemClock } from "../../src/clock.ts";

/** A clock that moves only when a test moves it. Random numbers are real. */
export interface StillClock extends Clock {
  /** Advances the time of day and the monotonic clock, so sockets may time out. */
  advance(ms: number): void;
  /** Advances only the time of day, so sockets notice nothing. */
  set(ms: number): void;
}

/** The real clock, plus `ahead` milliseconds. */
export function clockAhead(): Clock & { ahead: number } {
  const clock = {
    ...systemClock,
    ahead: 0,
    now: () => systemClock.now() + clock.ahead,
    monotonic: () => systemClock.monotonic() + clock.ahead,
  };
  return clock;
}

/** The real time of day with a monotonic clock that stands still, so quotas never refill. */
export const untimed: Clock = { ...systemClock, monotonic: () => 0 };

/** The real clock, with `ahead` milliseconds added to its time of day only. Sockets notice nothing. */
export function datedClock(): Clock & { ahead: number } {
  const clock = { ...systemClock, ahead: 0, now: () => systemClock.now() + clock.ahead };
  return clock;
}

/**
 * The real clock, with a time of day that moves only by `ahead`. It begins in the middle of the 30 seconds for which a
 * code of an authenticator app counts.
 */
export function stillDate(): Clock & { ahead: number } {
  const start = Math.floor(systemClock.now() / 30_000) * 30_000 + 15_000;
  const clock = { ...systemClock, ahead: 0, now: () => start + clock.ahead };
  return clock;
}

export function stillClock(start = Date.UTC(2026, 0, 1)): StillClock {
  let passed = 0;
  let ahead = 0;
  return {
    now: () => start + passed + ahead,
    monotonic: () => passed,
    random: systemClock.random,
    randomBelow: systemClock.randomBelow,
    advance(ms) {
      passed += ms;
    },
    set(ms) {
      ahead += ms;
    },
  };
}
