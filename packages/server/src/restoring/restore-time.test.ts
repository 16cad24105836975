import { expect, test } from "bun:test";
import { restoreTime } from "./restore-time.ts";

const NOW = Date.parse("2026-11-30T17:00:00Z");

test.each<[string, string | null]>([
  ["newest", null],
  ["2026-11-30T16:00:00Z", "2026-11-30T16:00:00.000Z"],
  ["2026-11-30 16:00Z", "2026-11-30T16:00:00.000Z"],
  ["2026-11-30T16:00:00.250+02:00", "2026-11-30T14:00:00.250Z"],
  ["2026-11-30 16:00 +0200", "2026-11-30T14:00:00.000Z"],
  ["15m", "2026-11-30T16:45:00.000Z"],
  ["90s", "2026-11-30T16:58:30.000Z"],
  ["3 days ago", "2026-11-27T17:00:00.000Z"],
  ["2 hours ago", "2026-11-30T15:00:00.000Z"],
])("%s is a time", (text, expected) => {
  const at = restoreTime(text, NOW);
  expect(at === null ? null : new Date(at).toISOString()).toBe(expected);
});

test.each(["", "yesterday", "2026-11-30T16:00:00", "2026-11-30", "2026-13-30T16:00:00Z", "-3h", "3 weeks", "12"])(
  "%p is refused, because it has no zone or is no time",
  (text) => {
    expect(() => restoreTime(text, NOW)).toThrow("is not a time");
  },
);

test("a time in the future is refused", () => {
  expect(() => restoreTime("2026-11-30T17:00:01Z", NOW)).toThrow("in the future");
});
