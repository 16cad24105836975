import { expect, test } from "bun:test";
import { isoTime, isoTimeOrNull, isTimeText, typedTime } from "./iso-time.ts";

test("formats a time, also the one of the call before, and after one that has no format", () => {
  for (const time of [0, 1_700_000_000_123, 1_700_000_000_123, 0]) {
    expect(isoTime(time)).toBe(new Date(time).toISOString());
  }
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
  expect([isoTimeOrNull(null), isoTimeOrNull(1)]).toEqual([null, "1970-01-01T00:00:00.001Z"]);
});

test.each(["2026-12-31T23:59:59Z", "2026-12-31t23:59:59.123456789+05:30", "2024-02-29T00:00:00-23:59"])(
  "%s is a time",
  (text) => {
    expect(isTimeText(text)).toBe(true);
    expect(typedTime(text)).toBe(Date.parse(text));
  },
);

test.each([
  "2016-12-31T23:59:60Z",
  "2017-01-01T00:59:60+01:00",
  "2016-12-31T23:59:60.5Z",
  "2026-02-30T00:00:00Z",
  "2026-12-31T24:00:00Z",
  "",
  "tomorrow",
])("%s is no time, and never another moment", (text) => {
  expect(isTimeText(text)).toBe(false);
  expect(typedTime(text)).toBeNaN();
});

test("an operator may type a date alone", () => {
  expect([typedTime("2027-01-31"), typedTime("2027-02-30")]).toEqual([Date.UTC(2027, 0, 31), Number.NaN]);
});
