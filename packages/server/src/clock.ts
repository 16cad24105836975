import { randomBytes, randomInt } from "node:crypto";

/** Time and chance. The only place that asks the machine for either, so that a test can decide both. */
export interface Clock {
  /** Wall time, epoch milliseconds. May jump; never used for order. */
  now(): number;
  /** Monotonic milliseconds: for durations, limits and time-outs. */
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
