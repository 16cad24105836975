import { IsDate, IsDateTime } from "typebox/format";

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
