import { type Clock, systemClock } from "../../src/clock.ts";

/** A clock that stands still until a test moves it. Chance is real. */
export interface StillClock extends Clock {
  advance(ms: number): void;
  /** The time of day alone goes on. Sockets do not notice; with `advance` they have been silent for so long, and may be taken for dead. */
  set(ms: number): void;
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
