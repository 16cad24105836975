import { expect, test } from "bun:test";
import fc from "fast-check";
import { backupName, expendable, timeOfBackup } from "./backup-files.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const SOME_DAY = Date.UTC(2026, 10, 26);
const dayOf = ({ at }: { at: number }) => Math.floor(at / DAY);

const LAST = SOME_DAY + 41 * DAY;

const moments = fc.integer({ min: -DAY, max: 41 * DAY }).map((offset) => SOME_DAY + offset);
const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 40 * DAY }), { maxLength: 120 })
  .map((all) => all.map((offset) => ({ at: SOME_DAY + offset })));

test("the name of a backup tells when it was begun, to the second", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8e12 }), (at) => {
      expect(timeOfBackup(backupName(at))).toBe(Math.floor(at / 1000) * 1000);
    }),
  );
});

test("other files in the folder are no backups", () => {
  for (const name of [
    "files",
    "parley.sqlite",
    ".draft-parley-2026-11-26T10-00-00Z.sqlite",
    "parley-2026-13-26T10-00-00Z.sqlite",
  ])
    expect(timeOfBackup(name)).toBeNull();
});

test("a month of hourly backups leaves 24 hours and 7 days", () => {
  const hourly = Array.from({ length: 30 * 24 }, (_, hour) => ({ at: SOME_DAY + hour * HOUR }));
  const gone = new Set(expendable(hourly, LAST));
  const kept = hourly.filter((backup) => !gone.has(backup)).map(({ at }) => at);
  const newest = SOME_DAY + (30 * 24 - 1) * HOUR;
  expect(kept.slice(-24)).toEqual(Array.from({ length: 24 }, (_, n) => newest - (23 - n) * HOUR));
  // The last of the 24 hours lie in the newest day; six earlier days have one each.
  expect(kept.slice(0, -24)).toEqual(Array.from({ length: 6 }, (_, n) => newest - (6 - n) * DAY));
});

test("the newest backup of each of the seven newest days is kept, and 24 at least", () => {
  fc.assert(
    fc.property(times, (backups) => {
      const gone = new Set(expendable(backups, LAST));
      const kept = backups.filter((backup) => !gone.has(backup));
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(backups.length, 24));
      expect(kept.length).toBeLessThanOrEqual(24 + 6);
      const days = [...new Set(backups.map(dayOf))].sort((one, other) => other - one).slice(0, 7);
      for (const day of days) {
        const newest = Math.max(...backups.filter((backup) => dayOf(backup) === day).map(({ at }) => at));
        expect(kept.some(({ at }) => at === newest)).toBe(true);
      }
    }),
  );
});

test("the order of the files decides nothing, and a second look deletes nothing more", () => {
  fc.assert(
    fc.property(times, moments, (backups, now) => {
      const names = (all: { at: number }[]) => all.map(({ at }) => at).sort();
      expect(names(expendable(backups.toReversed(), now))).toEqual(names(expendable(backups, now)));
      const gone = new Set(expendable(backups, now));
      expect(
        expendable(
          backups.filter((backup) => !gone.has(backup)),
          now,
        ),
      ).toEqual([]);
    }),
  );
});

test("after the clock was set back, hourly backups are kept as before, and those of the later time stay", () => {
  const later = Array.from({ length: 30 }, (_, hour) => ({ at: SOME_DAY + 100 * DAY + hour * HOUR }));
  let backups = later.slice(6);
  for (let hour = 0; hour < 48; hour += 1) {
    const now = SOME_DAY + hour * HOUR;
    backups = [...backups, { at: now }];
    const gone = new Set(expendable(backups, now));
    backups = backups.filter((backup) => !gone.has(backup));
  }
  expect(backups.filter(({ at }) => at >= SOME_DAY + 100 * DAY)).toHaveLength(24);
  const kept = backups.filter(({ at }) => at < SOME_DAY + 100 * DAY).map(({ at }) => at);
  expect(kept.slice(-24)).toEqual(Array.from({ length: 24 }, (_, n) => SOME_DAY + (24 + n) * HOUR));
});
