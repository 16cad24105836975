import { MIGRATIONS } from "../db/migrations/migrations.ts";
import { type Invocation, print } from "./command.ts";
import { openTool } from "./tool.ts";

/** Opening the database migrates it. */
export async function migrateCommand(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const { dialect } = tool.database;
  print(
    call,
    { schema: MIGRATIONS.length, dialect, epoch: tool.ctx.epoch },
    `The database has this version's schema (${MIGRATIONS.length}).`,
  );
  return 0;
}
