import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { type DatabaseFacts, isReadable } from "../../db/inspect.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import type { Finding } from "../../module.ts";
import { auditNames } from "./name-audit.ts";

const SHOWN_MAX = 10;
const check = "names";

/** Lists names that predate the current rules and could be mistaken for others. Skips a database of another schema. */
export async function checkNames({ database }: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (!isReadable(facts)) return [];
  const { names, problems } = await readSnapshot(database, systemClock, auditNames);
  if (problems.length === 0) return [{ check, state: "ok", text: `${names} names, and no two of them look alike` }];
  const more = problems.length > SHOWN_MAX ? ` (and ${problems.length - SHOWN_MAX} more)` : "";
  const text = `${problems.slice(0, SHOWN_MAX).join("; ")}${more}. Their owners keep them; check whether one of them impersonates somebody else`;
  return [{ check, state: "advice", text }];
}
