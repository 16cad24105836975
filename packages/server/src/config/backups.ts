import type { DatabaseConfig } from "./database.ts";
import { folder, integer, type Variable } from "./parse.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** The settings of scheduled backups. */
export const BACKUP_VARIABLES = {
  backupDir: variable<string | null>({
    name: "PARLEY_BACKUP_DIR",
    meaning:
      "Folder for scheduled backups of SQLite and of files in the data folder; best on another disk. The newest 24 and one of each of 7 days are kept. Not set: none are made.",
    byDefault: null,
    parse: folder,
  }),
  backupMinutes: variable({
    name: "PARLEY_BACKUP_MINUTES",
    meaning: "Minutes from one scheduled backup to the next.",
    byDefault: "60",
    parse: integer(1, 1_440),
  }),
};

interface BackupSettings {
  readonly backupDir: string | null;
  readonly database: DatabaseConfig;
  readonly dataDir: string;
}

/** Returns what prevents scheduled backups. */
export function backupProblems({ backupDir, database, dataDir }: BackupSettings): string[] {
  if (backupDir === null) return [];
  if (database.kind === "postgres") {
    return [
      "PARLEY_BACKUP_DIR makes backups of SQLite only. Back up PostgreSQL with its own tools, such as pg_dump or pgBackRest, and its files with: files backup <folder>",
    ];
  }
  if (backupDir === dataDir) {
    return ["PARLEY_BACKUP_DIR must not be the data folder itself; choose another folder, best on another disk"];
  }
  return [];
}
