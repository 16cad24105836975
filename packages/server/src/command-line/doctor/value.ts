import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { type DatabaseFacts, isReadable } from "../../db/inspect.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import { type Finding, type Module, openWorkOf } from "../../module.ts";

/** Checks that nothing of value is unfinished where `PARLEY_VALUE` switches it off. Returns nothing where it is on. */
export async function checkValue(
  { value, database }: Config,
  facts: DatabaseFacts | Error | null,
  modules: readonly Module[],
): Promise<Finding[]> {
  const check = "value";
  if (value === "on") return [];
  const off = "off: the server has no chains, payments, red packets and payouts";
  if (!isReadable(facts)) return [{ check, state: "ok", text: off }];
  const found = await readSnapshot(database, systemClock, (db) => openWorkOf(modules, db, systemClock.now()));
  if (found.length === 0) return [{ check, state: "ok", text: `${off}, and nothing of them is unfinished` }];
  const text = `off, but ${found.join(", ")}, so the server does not start; set PARLEY_VALUE=on until all of it is finished`;
  return [{ check, state: "problem", text }];
}
