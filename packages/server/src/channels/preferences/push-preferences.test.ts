import { expect, test } from "bun:test";
import { isQuiet, type QuietTimes, quietEnd } from "./push-preferences.ts";

const NONE: QuietTimes = { quiet_from: null, quiet_to: null, zone: null, muted_until: null };
const NIGHT = { ...NONE, quiet_from: "22:00", quiet_to: "07:00" };
const BERLIN = { ...NIGHT, zone: "Europe/Berlin" };
const NEW_YORK = { ...NIGHT, zone: "America/New_York" };

test.each([
  ["no quiet hours", NONE, "2026-11-24T03:00:00Z", false],
  ["before the night", NIGHT, "2026-11-24T21:59:59Z", false],
  ["from its first minute on", NIGHT, "2026-11-24T22:00:00Z", true],
  ["after midnight", NIGHT, "2026-11-25T00:00:00Z", true],
  ["until its last minute", NIGHT, "2026-11-25T06:59:59Z", true],
  ["after the night", NIGHT, "2026-11-25T07:00:00Z", false],
  ["hours within a day", { ...NONE, quiet_from: "12:00", quiet_to: "13:00" }, "2026-11-24T12:30:00Z", true],
  ["outside of hours within a day", { ...NONE, quiet_from: "12:00", quiet_to: "13:00" }, "2026-11-24T13:00:00Z", false],
  ["equal times", { ...NONE, quiet_from: "12:00", quiet_to: "12:00" }, "2026-11-24T12:00:00Z", false],
  ["the user's winter", BERLIN, "2026-11-24T21:00:00Z", true],
  ["the user's winter, a minute before", BERLIN, "2026-11-24T20:59:00Z", false],
  ["the user's summer", BERLIN, "2026-07-01T20:00:00Z", true],
  ["the end of the user's summer night", BERLIN, "2026-07-01T05:00:00Z", false],
  // Clocks go forward at 01:00 UTC on 29 March, and back at 01:00 UTC on 25 October 2026.
  ["the night on which clocks go forward, before its end", BERLIN, "2026-03-29T04:59:00Z", true],
  ["the night on which clocks go forward, after its end", BERLIN, "2026-03-29T05:00:00Z", false],
  ["the night on which clocks go back, before its end", BERLIN, "2026-10-25T05:59:00Z", true],
  ["the night on which clocks go back, after its end", BERLIN, "2026-10-25T06:00:00Z", false],
  ["New York's spring", NEW_YORK, "2026-03-08T10:59:00Z", true],
  ["New York's spring, an hour later than in winter", NEW_YORK, "2026-03-08T11:00:00Z", false],
  ["a zone of three quarters of an hour", { ...NIGHT, zone: "Asia/Kathmandu" }, "2026-11-24T16:15:00Z", true],
  ["a zone of three quarters, a minute before", { ...NIGHT, zone: "Asia/Kathmandu" }, "2026-11-24T16:14:00Z", false],
  ["a pause", { ...NONE, muted_until: Date.UTC(2026, 10, 25) }, "2026-11-24T12:00:00Z", true],
  ["the end of a pause", { ...NONE, muted_until: Date.UTC(2026, 10, 25) }, "2026-11-25T00:00:00Z", false],
] as const)("%s", (_, times, now, quiet) => {
  expect(isQuiet(times, Date.parse(now))).toBe(quiet);
});

test.each([
  ["no quiet hours", NONE, "2026-11-24T03:00:00Z", "2026-11-24T03:00:00Z"],
  ["before midnight", BERLIN, "2026-11-24T21:30:20Z", "2026-11-25T06:00:00Z"],
  ["after midnight", BERLIN, "2026-11-25T02:30:00Z", "2026-11-25T06:00:00Z"],
  ["the night on which clocks go forward", BERLIN, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"],
  ["the night on which clocks go back", BERLIN, "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z"],
  ["an end that clocks jump over", { ...BERLIN, quiet_to: "02:30" }, "2026-03-28T22:00:00Z", "2026-03-29T01:00:00Z"],
  ["an end that clocks show twice", { ...BERLIN, quiet_to: "02:30" }, "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z"],
  ["a pause", { ...NONE, muted_until: Date.UTC(2026, 10, 25) }, "2026-11-24T12:00:00Z", "2026-11-25T00:00:00Z"],
  [
    "a pause that ends in the night",
    { ...NIGHT, muted_until: Date.UTC(2026, 10, 25) },
    "2026-11-24T12:00:00Z",
    "2026-11-25T07:00:00Z",
  ],
  [
    "hours that leave one minute",
    { ...NONE, quiet_from: "07:01", quiet_to: "07:00" },
    "2026-11-24T07:01:00Z",
    "2026-11-25T07:00:00Z",
  ],
] as const)("it is quiet until the end: %s", (_, times, now, end) => {
  const found = quietEnd(times, Date.parse(now));
  expect(new Date(found).toISOString()).toBe(new Date(end).toISOString());
  expect(isQuiet(times, found)).toBeFalse();
});
