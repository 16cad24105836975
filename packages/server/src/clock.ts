import { randomBytes, randomInt } from "node:crypto";

/** Time and randomness. The only access to the machine's clock and random source, so that tests can control both. */
export interface Clock {
  /** Wall time, epoch milliseconds. May jump; never used for ordering. */
  now(): number;
  /** Monotonic milliseconds, for durations, limits and timeouts. */
  monotonic(): number;
  /** Cryptographically random bytes. */
  random(length: number): Uint8Array;
  /** A uniform random integer in [0, below). */
  randomBelow(below: number): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: (length) => randomBytes(length),
  randomBelow: (below) => randomInt(below),
};
