import { loadConfig } from "../config/load-config.ts";
import { backupSqlite } from "../db/backup.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";

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
