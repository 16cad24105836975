const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after each failed try (protocol §12.5). */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;
const JITTER = 0.2;

/**
 * Returns the wait after so many tries, in milliseconds; null: no further try. `chance` is from 0 to 1; a `Retry-After`
 * of at most an hour is kept.
 */
export function waitAfter(tries: number, chance: number, retryAfter: string | undefined, now: number): number | null {
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 - JITTER + 2 * JITTER * chance);
  return Math.round(Math.max(jittered, Math.min(askedFor(retryAfter, now), HOUR_MS)));
}

/** Parses `Retry-After`: seconds, or a date. */
function askedFor(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * SECOND_MS;
  const at = Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
