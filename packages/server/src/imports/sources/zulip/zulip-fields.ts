import type { Millis } from "../../../db/columns.ts";
import { countOf, type Fields } from "../fields.ts";

const DAY = 24 * 60 * 60 * 1000;

/** Returns a number of the database as the source id that it is in Parley; empty if it is none. */
export function idOf(fields: Fields, name: string): string {
  const number = countOf(fields, name);
  return number === null ? "" : String(number);
}

/** Returns a time, which is in seconds with decimals; null if it is none. */
export function timeOf(fields: Fields, name: string): Millis | null {
  const seconds = fields[name];
  return typeof seconds === "number" && Number.isFinite(seconds) && Math.abs(seconds) < 1e11
    ? Math.floor(seconds * 1000)
    : null;
}

/** Returns when a message was sent. Until 2018 the column had another name. */
export const sentAt = (message: Fields): Millis | null => timeOf(message, "date_sent") ?? timeOf(message, "pub_date");

/** Returns why no message can have this time; undefined if it can. */
export function timeProblem(message: Fields, now: Millis): string | undefined {
  const at = sentAt(message);
  const written = message.date_sent ?? message.pub_date;
  if (written === undefined || written === null) return "no_time";
  if (at === null) return "wrong_time";
  if (at < 0) return "before_1970";
  return at > now + DAY ? "in_future" : undefined;
}
