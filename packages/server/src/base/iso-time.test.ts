import { expect, test } from "bun:test";
import { isoTime, isoTimeOrNull } from "./iso-time.ts";

test("formats a time, also the one of the call before, and after one that has no format", () => {
  for (const time of [0, 1_700_000_000_123, 1_700_000_000_123, 0]) {
    expect(isoTime(time)).toBe(new Date(time).toISOString());
  }
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
  expect([isoTimeOrNull(null), isoTimeOrNull(1)]).toEqual([null, "1970-01-01T00:00:00.001Z"]);
});
