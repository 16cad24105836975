import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { restoreSqlite } from "../db/backup.ts";
import { MODULES } from "../modules.ts";
import type { Overdue } from "../overdue.ts";
import { endOverdueIn } from "../restoring/end-overdue.ts";
import { fileAt, type Invocation, print, UsageError } from "./command.ts";
import { filesAfterRestore, withFiles } from "./restore-files.ts";
import { afterwards, linesOfOverdue } from "./restore-text.ts";

/** Restores a backup, or with `--at` the state of a time from the replica. */
export async function restore(call: Invocation): Promise<number> {
  const { at, from } = call.values;
  const [file] = call.positionals;
  if (typeof at === "string") {
    if (file !== undefined)
      throw new UsageError("A file is a backup; --at restores from the replica. Choose one of them.");
    return (await import("./restore-at.ts")).restoreAt(call, at);
  }
  if (file === undefined || from !== undefined)
    throw new UsageError("Say what to restore: the file of a backup, or --at <time> for a time of the replica.");
  return restoreBackup(call, fileAt(call, file));
}

async function restoreBackup(call: Invocation, file: string): Promise<number> {
  const config = loadConfig(call.env);
  const { database } = config;
  if (database.kind === "postgres") return restorePostgres(call, config, file, database.url);
  const now = systemClock.now();
  let overdue: Overdue[] = [];
  const { facts, epoch, kept } = await restoreSqlite(file, database.path, systemClock, async (fresh) => {
    // How long the server ran after the backup is not known.
    overdue = await endOverdueIn({ kind: "sqlite", path: fresh }, MODULES, { until: now, now }, systemClock);
  });
  const files = await filesAfterRestore(call, config, withFiles(call));
  print(
    call,
    { file, database: database.path, kept, schema: facts.schema, epoch, files: files.report, not_sent: overdue },
    [
      `${database.path} is restored from ${file}.`,
      files.text,
      ...(kept === null ? [] : [`The previous database is kept as ${kept}. Delete it when you no longer need it.`]),
      ...linesOfOverdue(overdue),
      ...afterwards(config),
    ].join("\n"),
  );
  return 0;
}

/** A backup moves into PostgreSQL only when the database is empty: nothing is undone, so what waits there is still to be sent. */
async function restorePostgres(call: Invocation, config: Config, file: string, url: string): Promise<number> {
  // Loaded only here, so that other commands do not load it.
  const { restoreIntoPostgres } = await import("../db/postgres/restore.ts");
  const { facts, epoch, rows } = await restoreIntoPostgres(file, url, systemClock);
  const files = await filesAfterRestore(call, config, withFiles(call));
  print(
    call,
    { file, rows, schema: facts.schema, epoch, files: files.report },
    [
      `The PostgreSQL database is restored from ${file} (${counted(rows, "row")}).`,
      files.text,
      ...afterwards(config),
    ].join("\n"),
  );
  return 0;
}
