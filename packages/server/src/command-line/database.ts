import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { backupSqlite, restoreSqlite } from "../db/backup.ts";
import { MIGRATIONS } from "../db/migrations/migrations.ts";
import { schemaNumber } from "../db/schema-number.ts";
import type { CopyReport } from "../files/storage/copy-bytes.ts";
import { hasTreasury } from "../payouts/doctor.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";
import { copyFilesBack, copyFilesOut, textOfBackup, textOfRestore } from "./files.ts";
import { programName } from "./program.ts";
import { openTool } from "./tool.ts";

export async function backup(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const { database } = config;
  if (database.kind === "postgres") {
    throw new CommandError(
      "This database is PostgreSQL. Back it up with its own tools, such as pg_dump, and its files with: files backup <folder>",
    );
  }
  const file = fileAt(call, call.positionals[0] ?? "");
  const facts = backupSqlite(database.path, file);
  const folder = withFiles(call);
  // After the database: what the copy refers to is then copied. Bytes are removed minutes after their last reference.
  const files = folder === null ? null : await copyFilesOut(call, config, { kind: "sqlite", path: file }, folder);
  print(
    call,
    { file, bytes: facts.bytes, schema: facts.schema, epoch: facts.epoch, ...(files === null ? {} : { files }) },
    [
      `${file} is a checked copy of the database (${facts.bytes} bytes). Keep it as safe as the database: it contains all messages.`,
      ...(files === null || folder === null ? [] : [textOfBackup(files, folder)]),
    ].join("\n"),
  );
  return files === null || files.missing.length + files.damaged.length === 0 ? 0 : 1;
}

/** Returns the folder of `--with-files`; null without it. */
const withFiles = (call: Invocation): string | null =>
  typeof call.values["with-files"] === "string" ? fileAt(call, call.values["with-files"]) : null;

/** Opening the database migrates it. */
export async function migrateCommand(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const { dialect } = tool.database;
  const schema = await schemaNumber(tool.database.db);
  print(
    call,
    { schema, dialect, epoch: tool.ctx.epoch },
    schema > MIGRATIONS.length
      ? `The database has the schema of a newer version (${schema}), which this one can use.`
      : `The database has this version's schema (${schema}).`,
  );
  return 0;
}

const PAYOUTS = "Payouts are paused until you have compared them with the chain (/guide/payouts of this server).";

export async function restore(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const { database } = config;
  const file = fileAt(call, call.positionals[0] ?? "");
  if (database.kind === "postgres") return restorePostgres(call, config, file, database.url);
  const { facts, epoch, kept } = restoreSqlite(file, database.path, systemClock);
  const files = await filesAfterRestore(call, config);
  print(
    call,
    { file, database: database.path, kept, schema: facts.schema, epoch, files: files.report },
    [
      `${database.path} is restored from ${file}.`,
      files.text,
      ...(kept === null ? [] : [`The previous database is kept as ${kept}. Delete it when you no longer need it.`]),
      ...afterwards(config),
    ].join("\n"),
  );
  return 0;
}

async function restorePostgres(call: Invocation, config: Config, file: string, url: string): Promise<number> {
  // Loaded only here, so that other commands do not load it.
  const { restoreIntoPostgres } = await import("../db/postgres/restore.ts");
  const { facts, epoch, rows } = await restoreIntoPostgres(file, url, systemClock);
  const files = await filesAfterRestore(call, config);
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

/** The database is restored whatever happens here; `files restore` repeats it. */
async function filesAfterRestore(
  call: Invocation,
  config: Config,
): Promise<{ report: CopyReport | null; text: string }> {
  try {
    const report = await copyFilesBack(call, config, withFiles(call));
    return { report, text: textOfRestore(report) };
  } catch (error) {
    const reason = (error as Error).message;
    const text = `The files could not be checked (${reason}). Check them with: ${programName()} files restore <folder of a backup>`;
    return { report: null, text };
  }
}

function afterwards(config: Config): string[] {
  return [
    "Keys and passwords are those of the time of the backup: revoke again the keys that were revoked since.",
    ...(hasTreasury(config) ? [`${PAYOUTS} Then run: ${programName()} payouts resume`] : []),
    `Start the server with: ${programName()} serve`,
  ];
}
