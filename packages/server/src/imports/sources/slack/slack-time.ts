import type { Millis } from "../../../db/columns.ts";

const TS = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const DAY = 24 * 60 * 60 * 1000;

/** When a message was sent, and what decides among those of one millisecond. */
export interface SlackTime {
  readonly at: Millis;
  /** Microseconds within the millisecond. */
  readonly micros: number;
}

/** Reads a `ts`, which is a time in seconds with six decimals; undefined if it is none. */
export function timeOf(ts: unknown): SlackTime | undefined {
  const [, seconds, decimals = ""] = typeof ts === "string" ? (TS.exec(ts) ?? []) : [];
  if (seconds === undefined) return undefined;
  const fraction = Number(decimals.padEnd(6, "0"));
  return { at: Number(seconds) * 1000 + Math.floor(fraction / 1000), micros: fraction % 1000 };
}

/** Returns why no message can have this ts; undefined if it can. */
export function timeProblem(ts: unknown, now: Millis): string | undefined {
  if (ts === undefined || ts === null || ts === "") return "no_time";
  if (typeof ts === "string" && /^-\d/.test(ts)) return "before_1970";
  const time = timeOf(ts);
  if (time === undefined) return "wrong_time";
  return time.at > now + DAY ? "in_future" : undefined;
}
