import { systemClock } from "../clock.ts";
import { type Config, loadConfig } from "../config/config.ts";
import { restoreSqlite } from "../db/backup.ts";
import { fileAt, type Invocation, print } from "./command.ts";
import { hasTreasury } from "./doctor/payouts.ts";
import { programName } from "./help.ts";

const PAYOUTS =
  "Payouts stand still until you have compared with the chain what was paid since (docs/guide/payouts.md).";

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
      `${database.path} is now what ${file} holds.`,
      ...(kept === null ? [] : [`What was there before is kept as ${kept}; delete it when it is not needed.`]),
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
    [`The PostgreSQL database now holds what ${file} holds (${rows} rows).`, ...afterwards(config)].join("\n"),
  );
  return 0;
}

function afterwards(config: Config): string[] {
  return [
    "Keys and passwords are what they were when the backup was made: revoke again what was revoked since.",
    ...(hasTreasury(config) ? [`${PAYOUTS} Then run: ${programName()} payouts resume`] : []),
    `Start the server with: ${programName()} serve`,
  ];
}
