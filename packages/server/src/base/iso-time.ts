import { IsDate, IsDateTime } from "typebox/format";

let lastMillis = 0;
let lastIso = new Date(0).toISOString();

/** Formats a time, in epoch milliseconds, as ISO 8601. Caches the last one, because the messages of a batch share it. */
export function isoTime(millis: number): string {
  if (millis !== lastMillis) {
    lastIso = new Date(millis).toISOString();
    lastMillis = millis;
  }
  return lastIso;
}

/** Formats a time that may be absent. */
export const isoTimeOrNull = (millis: number | null): string | null => (millis === null ? null : isoTime(millis));

/**
 * True for a time of RFC 3339 that is a moment. A leap second (`23:59:60`) has a valid form, but no number of
 * milliseconds, so it is refused everywhere: it would become the wrong moment.
 */
export const isTimeText = (text: string): boolean => IsDateTime(text) && !Number.isNaN(Date.parse(text));

/**
 * Reads a date or a time that an operator types, as epoch milliseconds. NaN for one that does not exist, such as
 * `2027-02-30`: `Date.parse` would return a day of March.
 */
export function typedTime(text: string): number {
  const [, day = "", hours] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d))?/i.exec(text) ?? [];
  return IsDate(day) && hours !== "24" ? Date.parse(text) : Number.NaN;
}
