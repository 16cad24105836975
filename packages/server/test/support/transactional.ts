import { type Clock, systemClock } from "../../src/clock.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import type { Transactional } from "../../src/db/transact.ts";

/** Returns the smallest context that `transact` accepts. It keeps logged errors for the test to inspect. */
export function transactional(open: OpenDatabase, clock: Clock = systemClock): Transactional & { logged: unknown[] } {
  const logged: unknown[] = [];
  return {
    db: open.db,
    clock,
    log: { error: (fields) => logged.push(fields) },
    afterCommit: (act) => act(),
    logged,
  };
}
