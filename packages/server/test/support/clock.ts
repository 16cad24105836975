import { type Clock, systemClock } from "../../src/clock.ts";

/** A clock that is stopped until a test moves it. Random numbers are real. */
export interface StillClock extends Clock {
  advance(ms: number): void;
  /**
   * Advances only the time of day, so sockets do not notice; with `advance` they have been silent for as long and may
   * be taken for dead.
   */
  set(ms: number): void;
}

/** The real clock, ahead by as many milliseconds as a test sets. */
export function clockAhead(): Clock & { ahead: number } {
  const clock = {
    ...systemClock,
    ahead: 0,
    now: () => systemClock.now() + clock.ahead,
    monotonic: () => systemClock.monotonic() + clock.ahead,
  };
  return clock;
}

/**
 * The real clock, except that measured durations are zero. Rate limits do not refill while a test counts refusals,
 * however slow the machine is.
 */
export const untimed: Clock = { ...systemClock, monotonic: () => 0 };

/**
 * The real clock, whose time of day a test can move forward. Measured durations stay real, so sockets notice nothing.
 */
export function datedClock(): Clock & { ahead: number } {
  const clock = { ...systemClock, ahead: 0, now: () => systemClock.now() + clock.ahead };
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
