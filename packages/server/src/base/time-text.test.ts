import { expect, test } from "bun:test";
import { isTimeText, typedTime } from "./time-text.ts";

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
