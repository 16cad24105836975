import { LRUCache } from "lru-cache";

const MINUTE_MS = 60_000;
/** Longer than any day, also one on which clocks are set back. */
const DAY_MAX_MS = 27 * 60 * MINUTE_MS;
/**
 * The shortest period: a little less than the shortest day. An agent's owner could otherwise begin a new period every
 * hour by changing the time zone.
 */
const PERIOD_MIN_MS = 22 * 60 * MINUTE_MS;

/** A time zone's formats of dates; a server knows a few hundred zones. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
  formats.set(zone, made);
  return made;
}

/** Returns whether the text names a time zone. An offset such as `+01:00` would know no daylight saving time. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Returns the date in a time zone as `2026-11-25`. */
export const dateIn = (zone: string, at: number): string => formatOf(zone).format(at);

/**
 * Returns when the day began on which `at` is. That is not always midnight: in some zones clocks are set forward then.
 */
export function startOfDay(zone: string, at: number): number {
  const date = dateIn(zone, at);
  return firstOf(at - DAY_MAX_MS, at, (time) => dateIn(zone, time) >= date);
}

/** Returns when the day after the one of `at` begins. */
export function nextDay(zone: string, at: number): number {
  const date = dateIn(zone, at);
  return firstOf(at, at + DAY_MAX_MS, (time) => dateIn(zone, time) > date);
}

/** Returns the first whole minute after `from`, up to that of `to`, from which on the condition holds. */
function firstOf(from: number, to: number, holds: (time: number) => boolean): number {
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle * MINUTE_MS)) high = middle;
    else low = middle;
  }
  return high * MINUTE_MS;
}

/** A period of budgets, epoch milliseconds. */
export interface Period {
  from: number;
  resetsAt: number;
}

/** Returns the period of a time. `last` is the beginning of the agent's last period; null: it had none. */
export function periodAt(zone: string, now: number, last: number | null): Period {
  const today = startOfDay(zone, now);
  const next = nextDay(zone, now);
  if (last === null || today >= last + PERIOD_MIN_MS) return { from: Math.min(today, now), resetsAt: next };
  return { from: last, resetsAt: next >= last + PERIOD_MIN_MS ? next : nextDay(zone, next) };
}
