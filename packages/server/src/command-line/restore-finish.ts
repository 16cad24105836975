import { isoTime, typedTime } from "../base/iso-time.ts";
import { systemClock } from "../clock.ts";
import { loadConfig } from "../config/load-config.ts";
import { newEpoch } from "../db/backup.ts";
import { openDatabase, readEpoch, replaceEpoch } from "../db/database.ts";
import { createLog } from "../logging/log.ts";
import { MODULES } from "../modules.ts";
import { endOverdue } from "../restoring/end-overdue.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { filesAfterRestore } from "./restore-files.ts";
import { afterwards, linesOfOverdue } from "./restore-text.ts";

/** Does for a database that its own tools have restored what `restore` does for SQLite. */
export async function restoreFinish(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const now = systemClock.now();
  const until = typeof call.values.until === "string" ? typedTime(call.values.until) : now;
  if (!(until <= now)) throw new UsageError("--until must be a time in the past, such as 2030-01-31T18:00:00Z.");
  const done = await (async () => {
    const log = createLog({ level: "warn", readable: true, write: call.err });
    // As a server, which must be alone on its database.
    await using database = await openDatabase(config.database, systemClock, { mode: "server", poolSize: 2, log });
    const { db } = database;
    const epoch = newEpoch(systemClock);
    const overdue = await endOverdue(db, MODULES, { until, now });
    // Last: until then the command can be repeated, and no server knows the data as new.
    if (!(await replaceEpoch(db, await readEpoch(db), epoch)))
      throw new CommandError("The epoch was changed by somebody else meanwhile. Run the command again.");
    return { epoch, overdue };
  })();
  const files = await filesAfterRestore(call, config, null);
  print(
    call,
    { epoch: done.epoch, not_sent_until: isoTime(until), not_sent: done.overdue, files: files.report },
    [
      "The data has a new epoch: clients load their channels afresh.",
      files.text,
      ...linesOfOverdue(done.overdue),
      ...afterwards(config),
    ].join("\n"),
  );
  return 0;
}
