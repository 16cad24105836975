import { loadConfig } from "../config/load-config.ts";
import { backupSqlite } from "../db/backup.ts";
import { MIGRATIONS } from "../db/migrations/migrations.ts";
import { schemaNumber } from "../db/schema-number.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";
import { copyFilesOut, textOfBackup } from "./files.ts";
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
