import { describe, expect, test } from "bun:test";
import { dateIn, isZone, nextDay, periodAt, startOfDay } from "./period.ts";

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const iso = (time: number) => new Date(time).toISOString();

describe("days of a time zone", () => {
  test.each([
    ["UTC", "2026-11-25T22:00:00Z", "2026-11-25T00:00:00.000Z", 24],
    ["Asia/Kolkata", "2026-11-25T22:00:00Z", "2026-11-25T18:30:00.000Z", 24],
    // Clocks are set forward, and back.
    ["Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00.000Z", 23],
    ["Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00.000Z", 25],
    ["America/New_York", "2026-11-01T12:00:00Z", "2026-11-01T04:00:00.000Z", 25],
    ["Australia/Lord_Howe", "2026-10-04T02:00:00Z", "2026-10-03T13:30:00.000Z", 23.5],
    // There is no midnight on this day.
    ["Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-23T22:00:00.000Z", 23],
  ])("%s at %s", (zone, now, start, hours) => {
    expect(iso(startOfDay(zone, at(now)))).toBe(start);
    expect((nextDay(zone, at(now)) - at(start)) / HOUR).toBe(hours);
    expect(dateIn(zone, nextDay(zone, at(now)) - 1)).toBe(dateIn(zone, at(now)));
  });

  test("only names of zones are accepted", () => {
    expect(["UTC", "Europe/Berlin", "+01:00", "Mars/Base", ""].map(isZone)).toEqual([true, true, false, false, false]);
  });
});

describe("periods", () => {
  test("begin at midnight in the zone, also after a day without spending", () => {
    const first = periodAt("Europe/Berlin", at("2026-03-28T22:59:00Z"), null);
    expect([iso(first.from), iso(first.resetsAt)]).toEqual(["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z"]);
    const short = periodAt("Europe/Berlin", at("2026-03-28T23:00:00Z"), first.from);
    expect([short.from, iso(short.resetsAt)]).toEqual([first.resetsAt, "2026-03-29T22:00:00.000Z"]);
    expect(periodAt("Europe/Berlin", at("2026-04-02T12:00:00Z"), short.from).from).toBe(at("2026-04-01T22:00:00Z"));
  });

  test("a change of the zone begins no new period within 22 hours", () => {
    let now = at("2026-11-25T00:30:00Z");
    let last: number | null = null;
    const begun = new Set<number>();
    // Each hour the owner chooses the zone in which it has just been midnight.
    for (let hour = 0; hour < 48; hour++, now += HOUR) {
      const offset = new Date(now).getUTCHours();
      const zone = offset <= 12 ? `Etc/GMT+${offset}` : `Etc/GMT-${24 - offset}`;
      const period = periodAt(zone, now, last);
      expect(period.resetsAt).toBeGreaterThan(now);
      last = period.from;
      begun.add(last);
    }
    expect(begun.size).toBeLessThanOrEqual(3);
  });
});
