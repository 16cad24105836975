import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../base/iso-time.ts";

/** A verified backup. Its name tells when it was begun. */
export interface BackupFile {
  path: string;
  /** Epoch milliseconds, in whole seconds. */
  at: number;
}

/** How many of the newest backups are kept, and of how many days the newest one. */
const NEWEST_KEPT = 24;
const DAYS_KEPT = 7;
const NAME = /^parley-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z\.sqlite$/;

/** Returns the name of the backup begun at this time. Colons are not allowed in names everywhere. */
export const backupName = (at: number): string => `parley-${isoTime(at).slice(0, 19).replaceAll(":", "-")}Z.sqlite`;

/** Returns when the backup with this name was begun; null for a file that is not a scheduled backup. */
export function timeOfBackup(name: string): number | null {
  const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at) ? null : at;
}

/** Returns the scheduled backups in a folder, the newest first. Files with other names are ignored. */
export function listBackups(folder: string): BackupFile[] {
  const found = readdirSync(folder).flatMap((name): BackupFile[] => {
    const at = timeOfBackup(name);
    return at === null ? [] : [{ path: join(folder, name), at }];
  });
  return found.sort((one, other) => other.at - one.at);
}

export const bytesOf = ({ path }: BackupFile): number => statSync(path).size;

/**
 * Returns the backups to delete when one was begun at `now`: all but the newest 24 and the newest one of each of the 7
 * newest days (UTC) that have one. Counts backups and days, so that a clock set forward deletes nothing. Backups with a
 * later time than `now` were made before the clock was set back; the same rule applies to them, apart from the others.
 */
export function expendable<B extends Pick<BackupFile, "at">>(backups: readonly B[], now: number): B[] {
  return [
    ...expendableAmong(backups.filter(({ at }) => at <= now)),
    ...expendableAmong(backups.filter(({ at }) => at > now)),
  ];
}

function expendableAmong<B extends Pick<BackupFile, "at">>(backups: readonly B[]): B[] {
  const newestFirst = [...backups].sort((one, other) => other.at - one.at);
  const kept = new Set(newestFirst.slice(0, NEWEST_KEPT));
  const days = new Map<string, B>();
  for (const backup of newestFirst) {
    const day = isoTime(backup.at).slice(0, 10);
    if (!days.has(day) && days.size < DAYS_KEPT) days.set(day, backup);
  }
  for (const backup of days.values()) kept.add(backup);
  return newestFirst.filter((backup) => !kept.has(backup));
}
