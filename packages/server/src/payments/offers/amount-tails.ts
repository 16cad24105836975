import type { Clock } from "../../clock.ts";

/** A tail is at most this part of the price and at most this many units (protocol §7). */
const TAIL_DIVISOR = 1_000n;
const TAIL_MAX = 9_999n;
const RANDOM_BYTES = 4;

/** The range of tails for a caller's challenge, both ends included. */
export interface TailRange {
  readonly least: bigint;
  readonly most: bigint;
}

/**
 * Returns the tails that fit a price; null if the price is too small for one. Guests are limited by their address only,
 * so they choose from the upper half: however many of them ask, the lower half remains for accounts. If there is only
 * one tail, both choose it.
 */
export function tailRange(price: bigint, isGuest: boolean): TailRange | null {
  const whole = price / TAIL_DIVISOR;
  const most = whole > TAIL_MAX ? TAIL_MAX : whole;
  if (most < 1n) return null;
  return { least: isGuest ? most / 2n + 1n : 1n, most };
}

/** Returns a random amount of the range that is not among those taken; null when all are. */
export function freeAmount(
  clock: Pick<Clock, "random">,
  price: bigint,
  { least, most }: TailRange,
  taken: ReadonlySet<string> = new Set(),
): string | null {
  const count = Number(most - least) + 1;
  const start = Buffer.from(clock.random(RANDOM_BYTES)).readUInt32BE() % count;
  for (let step = 0; step < count; step += 1) {
    const amount = (price + least + BigInt((start + step) % count)).toString();
    if (!taken.has(amount)) return amount;
  }
  return null;
}
