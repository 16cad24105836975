import { sql } from "kysely";
import { pause } from "../../base/timers.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../logging/log.ts";
import type { Db } from "../db.ts";
import { StartupError } from "../startup-error.ts";

const POLL_MS = 500;
/** A node notices the floor at its next heartbeat and drains; a dead one is forgotten. Both take less than half of this. */
const LIMIT_MS = 60_000;
/** A node that has not been seen for this long is dead (cluster/nodes.ts). */
const DEAD_MS = 15_000;

/** Returns whether a live node of the cluster knows fewer migrations than the floor. */
export const isAnyNodeBelow = async (db: Db, floor: number): Promise<boolean> =>
  (await nodesBelow(db, floor)).length > 0;

async function nodesBelow(db: Db, floor: number): Promise<string[]> {
  if (floor === 0) return [];
  // Older schemas have no such table.
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('nodes') is not null as exists`.execute(db);
  if (rows[0]?.exists !== true) return [];
  const found = await sql<{ name: string }>`
    select name from nodes where schema_number < ${floor}
      and seen_at > extract(epoch from clock_timestamp()) * 1000 - ${DEAD_MS} order by name`.execute(db);
  return found.rows.map(({ name }) => name);
}

/** Waits until no such node is left. Throws a `StartupError` that names them if they stay. */
export async function awaitNodesBelow(db: Db, floor: number, clock: Clock, log?: Pick<Log, "warn">): Promise<void> {
  const startedAt = clock.monotonic();
  for (let tries = 0; ; tries++) {
    const names = await nodesBelow(db, floor);
    if (names.length === 0) return;
    if (tries === 0)
      log?.warn({ nodes: names, floor }, "waiting for nodes that are too old for the next schema to end");
    if (clock.monotonic() - startedAt > LIMIT_MS) {
      throw new StartupError(
        `These nodes run a version that is too old for this one (schema below ${floor}): ${names.join(", ")}. Stop them, ` +
          "or upgrade them to the version between.",
      );
    }
    await pause(POLL_MS);
  }
}
