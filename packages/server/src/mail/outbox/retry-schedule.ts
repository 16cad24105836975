const MINUTE_MS = 60_000;
/** The pauses before the second try, the third and so on. */
const WAITS_MIN = [1, 5, 15, 30, 60, 120, 240];
const HOLD_FIRST_MS = 15_000;
const HOLD_MAX_MS = 10 * MINUTE_MS;

/** Returns the milliseconds until the next try; `chance` from 0 to 1 spreads it by a fifth. */
export function waitAfter(tries: number, chance: number): number {
  const minutes = WAITS_MIN[Math.min(tries, WAITS_MIN.length) - 1] ?? 1;
  return Math.round(minutes * MINUTE_MS * (0.9 + 0.2 * chance));
}

/** Returns for how long nothing is sent after the mail server has failed so many times in a row. */
export const holdAfter = (failures: number): number => Math.min(HOLD_FIRST_MS * 2 ** (failures - 1), HOLD_MAX_MS);
