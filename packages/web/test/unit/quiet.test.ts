import { expect, test } from "bun:test";
import { isQuiet, pausedUntil } from "../../src/model/calls/quiet.ts";

const at = (time: string) => new Date(`2026-11-24T${time}:00Z`);
const settings = (quiet_from: string | null, quiet_to: string | null, zone: string | null = null) => ({
  push: { previews: false, quiet_from, quiet_to, zone },
  muted_until: null,
});

test.each([
  ["inside hours of one day", true, "12:30", settings("12:00", "13:00")],
  ["at their end", false, "13:00", settings("12:00", "13:00")],
  ["before midnight", true, "23:00", settings("22:00", "07:00")],
  ["after midnight", true, "06:59", settings("22:00", "07:00")],
  ["by day", false, "12:00", settings("22:00", "07:00")],
  ["in the user's zone", true, "14:30", settings("22:00", "07:00", "Asia/Shanghai")],
  ["in UTC where the zone is unknown", false, "14:30", settings("22:00", "07:00", "Mars/Base")],
  ["with equal times", false, "22:00", settings("22:00", "22:00")],
  ["without hours", false, "23:00", settings(null, null)],
] as const)("quiet hours %s: %p", (_, wanted, time, all) => {
  expect(isQuiet(all, at(time))).toBe(wanted);
});

test("a pause is quiet until it ends", () => {
  const paused = { ...settings(null, null), muted_until: "2026-11-24T12:00:00.000Z" };
  expect([isQuiet(paused, at("11:59")), isQuiet(paused, at("12:00"))]).toEqual([true, false]);
  expect(pausedUntil(paused, at("11:59"))).toBe(paused.muted_until);
});
