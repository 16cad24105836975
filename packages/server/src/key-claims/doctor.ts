import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { type DatabaseFacts, isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { Finding } from "../module.ts";
import { isPoolLow, poolStatus } from "./code-pool.ts";

/** Checks that there are verification codes to give out. Skips a database of another schema. */
export async function checkCodes(config: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (!isReadable(facts)) return [];
  const check = "code pool";
  const { waiting } = await readSnapshot(config.database, systemClock, (db) => poolStatus({ db, clock: systemClock }));
  const text = `${waiting} verification codes are in stock`;
  if (!isPoolLow(waiting, config.codePoolSize)) return [{ check, state: "ok", text }];
  const advice =
    config.codePoolSize > 0
      ? "a running server adds more within a minute; check its log if it does not"
      : "without codes nobody can claim a key; run: codes fill <count>";
  return [{ check, state: "advice", text: `only ${text}; ${advice}` }];
}
