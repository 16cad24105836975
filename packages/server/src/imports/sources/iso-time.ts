import type { Millis } from "../../db/columns.ts";
import { zonedTime } from "./zoned-time.ts";

const ISO = /^(-?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/i;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Reads a time such as `2024-03-01T09:30:00.1234567+02:00`, rounded down to the millisecond; undefined if it is none. One
 * without a zone is of `zone`, as IANA names it.
 */
export function isoTime(value: unknown, zone: string): Millis | undefined {
  const [, local, fraction = "", offset] = typeof value === "string" ? (ISO.exec(value) ?? []) : [];
  if (local === undefined) return undefined;
  const inUtc = Date.parse(`${local.replace(" ", "T")}Z`);
  if (Number.isNaN(inUtc)) return undefined;
  const seconds = offset === undefined ? zonedTime(inUtc, zone) : inUtc - offsetOf(offset);
  return seconds + Number(fraction.padEnd(3, "0").slice(0, 3));
}

function offsetOf(offset: string): Millis {
  if (/^z$/i.test(offset)) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Returns why no message can have this time; undefined if it can. */
export function timeProblem(at: Millis | undefined, isAbsent: boolean, now: Millis): string | undefined {
  if (isAbsent) return "no_time";
  if (at === undefined) return "wrong_time";
  if (at < 0) return "before_1970";
  return at > now + DAY ? "in_future" : undefined;
}
