import { resolve } from "node:path";
import { systemClock } from "../clock.ts";
import { loadConfig } from "../config.ts";
import { restoreSqlite } from "../db/backup.ts";
import { CommandError, type Invocation, print } from "./command.ts";
import { hasTreasury } from "./doctor-payouts.ts";
import { programName } from "./help.ts";

const PAYOUTS =
  "Payouts stand still until you have compared with the chain what was paid since (docs/guide/payouts.md).";

export async function restore(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const { database } = config;
  if (database.kind === "postgres") {
    throw new CommandError("This database is PostgreSQL; restore it with its own tools, such as pg_restore.");
  }
  const file = resolve(call.positionals[0] ?? "");
  const { facts, epoch, kept } = restoreSqlite(file, database.path, systemClock);
  print(
    call,
    { file, database: database.path, kept, schema: facts.schema, epoch },
    [
      `${database.path} is now what ${file} holds.`,
      ...(kept === null ? [] : [`What was there before is kept as ${kept}; delete it when it is not needed.`]),
      "Keys and passwords are what they were when the backup was made: revoke again what was revoked since.",
      ...(hasTreasury(config) ? [`${PAYOUTS} Then run: ${programName()} payouts resume`] : []),
      `Start the server with: ${programName()} serve`,
    ].join("\n"),
  );
  return 0;
}
