import type { Clock } from "../clock.ts";
import type { DatabaseConfig } from "../config/config.ts";
import { openDatabase } from "../db/database.ts";
import type { Db } from "../db/db.ts";
import { type Module, overdueStepsOf } from "../module.ts";
import type { Overdue, RestoreMoment } from "../overdue.ts";

/** Takes the step of each feature, in one transaction. Returns what was ended, without the kinds of which there was nothing. */
export function endOverdue(db: Db, all: readonly Module[], moment: RestoreMoment): Promise<Overdue[]> {
  return db.transaction().execute(async (trx) => {
    const ended: Overdue[] = [];
    for (const step of overdueStepsOf(all)) {
      const overdue = await step(trx, moment);
      if (overdue.count > 0) ended.push(overdue);
    }
    return ended;
  });
}

/** Opens a database that no server uses, which migrates it, and ends what was due. Errors: those of `openDatabase`. */
export async function endOverdueIn(
  database: DatabaseConfig,
  all: readonly Module[],
  moment: RestoreMoment,
  clock: Clock,
): Promise<Overdue[]> {
  await using opened = await openDatabase(database, clock, { mode: "tool", poolSize: 1 });
  return endOverdue(opened.db, all, moment);
}
