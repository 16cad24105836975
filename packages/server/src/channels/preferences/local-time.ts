const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Returns the time of day `HH:MM` in a time zone. */
export function localTime(now: number, zone: string): string {
  const form = { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat("en-GB", form).format(now);
}

/**
 * Returns the next time (epoch milliseconds, after `after`) at which the clock of a time zone shows `time` (`HH:MM`). If
 * the clock is set forward over it, the result is at most an hour away from it.
 */
export function nextLocalTime(time: string, zone: string, after: number): number {
  const from = after - (after % MINUTE_MS);
  const ahead = modulo(minutesOf(time) - minutesOf(localTime(from, zone)), DAY_MINUTES);
  const found = from + (ahead === 0 ? DAY_MINUTES : ahead) * MINUTE_MS;
  // The clock may have been set forward or back on the way.
  const half = DAY_MINUTES / 2;
  const off = modulo(minutesOf(time) - minutesOf(localTime(found, zone)) + half, DAY_MINUTES) - half;
  const mended = found + off * MINUTE_MS;
  return mended > after ? mended : found;
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
