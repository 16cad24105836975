import type { DatabaseConfig } from "./database.ts";
import { type FilesPlace, filesPlace } from "./file-storage.ts";
import { integer, type Variable } from "./parse.ts";

const variable = <T>(spec: Variable<T>): Variable<T> => spec;

/** The settings of the replica of SQLite's log. */
export const REPLICA_VARIABLES = {
  replica: variable<FilesPlace | null>({
    name: "PARLEY_REPLICA",
    meaning:
      "Where the server copies every change of its SQLite database, within a second: a folder, best on another disk, or `s3://<bucket>/<prefix>` (with the `PARLEY_S3_…` settings of files). `parley restore --at` restores the database to any time of the last days from it. Not set: nothing is copied.",
    byDefault: null,
    parse: filesPlace,
  }),
  replicaDays: variable({
    name: "PARLEY_REPLICA_DAYS",
    meaning: "Days to which the replica can restore the database. It has one snapshot of each day.",
    byDefault: "7",
    parse: integer(1, 366),
  }),
};

interface ReplicaSettings {
  readonly replica: FilesPlace | null;
  readonly database: DatabaseConfig;
  readonly dataDir: string;
  readonly backupDir: string | null;
  readonly s3AccessKey: string | null;
  readonly s3SecretKey: string | null;
}

/** Returns what prevents the replica. */
export function replicaProblems({ replica, database, ...settings }: ReplicaSettings): string[] {
  if (replica === null) return [];
  if (database.kind === "postgres") {
    return [
      "PARLEY_REPLICA copies SQLite only. PostgreSQL has its own tools for any point in time: see docs/guide/point-in-time.md",
    ];
  }
  if (database.path === ":memory:") return ["PARLEY_REPLICA needs a database in a file"];
  if (replica.kind === "s3") {
    const missing = (name: string) => `${name} must be set, because PARLEY_REPLICA names a bucket`;
    return [
      ...(settings.s3AccessKey === null ? [missing("PARLEY_S3_ACCESS_KEY")] : []),
      ...(settings.s3SecretKey === null ? [missing("PARLEY_S3_SECRET_KEY")] : []),
    ];
  }
  const taken = [settings.dataDir, settings.backupDir].includes(replica.path);
  return taken ? ["PARLEY_REPLICA must be a folder of its own, best on another disk"] : [];
}
