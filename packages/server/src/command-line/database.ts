import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { backupSqlite, restoreSqlite } from "../db/backup.ts";
import { MIGRATIONS } from "../db/migrations/migrations.ts";
import { schemaNumber } from "../db/schema-number.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";
import { hasTreasury } from "./doctor/payouts.ts";
import { programName } from "./program.ts";
import { openTool } from "./tool.ts";

export async function backup(call: Invocation): Promise<number> {
  const { database } = loadConfig(call.env);
  if (database.kind === "postgres") {
    throw new CommandError("This database is PostgreSQL. Back it up with its own tools, such as pg_dump.");
  }
  const file = fileAt(call, call.positionals[0] ?? "");
  const facts = backupSqlite(database.path, file);
  print(
    call,
    { file, bytes: facts.bytes, schema: facts.schema, epoch: facts.epoch },
    `${file} is a checked copy of the database (${facts.bytes} bytes). Keep it as safe as the database: it contains all messages.`,
  );
  return 0;
}

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

const PAYOUTS = "Payouts are paused until you have compared them with the chain (docs/guide/payouts.md).";

export async function restore(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const { database } = config;
  const file = fileAt(call, call.positionals[0] ?? "");
  if (database.kind === "postgres") return restorePostgres(call, config, file, database.url);
  const { facts, epoch, kept } = restoreSqlite(file, database.path, systemClock);
  print(
    call,
    { file, database: database.path, kept, schema: facts.schema, epoch },
    [
      `${database.path} is restored from ${file}.`,
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
  print(
    call,
    { file, rows, schema: facts.schema, epoch },
    [`The PostgreSQL database is restored from ${file} (${rows} rows).`, ...afterwards(config)].join("\n"),
  );
  return 0;
}

function afterwards(config: Config): string[] {
  return [
    "Keys and passwords are those of the time of the backup: revoke again the keys that were revoked since.",
    ...(hasTreasury(config) ? [`${PAYOUTS} Then run: ${programName()} payouts resume`] : []),
    `Start the server with: ${programName()} serve`,
  ];
}
