import { type Clock, systemClock } from "../../src/clock.ts";

/** A clock that stands still until a test moves it. Chance is real. */
export interface StillClock extends Clock {
  advance(ms: number): void;
  /** The time of day alone goes on. Sockets do not notice; with `advance` they have been silent for so long, and may be taken for dead. */
  set(ms: number): void;
}

/** The real clock, so many milliseconds ahead as a test has put it. */
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
 * The real clock, by which nothing that is measured takes time. Rates do not fill up while a test that counts refusals asks, however slow the
 * machine is.
 */
export const untimed: Clock = { ...systemClock, monotonic: () => 0 };

/** The real clock, whose time of day a test puts forward. What is measured goes on as ever: sockets notice nothing. */
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
