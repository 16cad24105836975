import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import { isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { DoctorCheck, Finding } from "../module.ts";
import { auditLedger } from "./ledger-audit.ts";

/** Further findings most likely have the same cause. */
const SHOWN_MAX = 10;

/**
 * Checks that every point and every other value is accounted for (protocol §6). Skips a database of another schema.
 */
export const checkLedger: DoctorCheck = async ({ database }, facts) => {
  if (!isReadable(facts)) return [];
  const { entries, problems } = await readSnapshot(database, systemClock, auditLedger);
  return [findingOf("ledger", problems, `${counted(entries, "entry", "entries")}, and all sums are right`)];
};

/** Returns the finding about rows that Parley itself never writes. */
export function findingOf(check: string, problems: readonly string[], fine: string): Finding {
  if (problems.length === 0) return { check, state: "ok", text: fine };
  const more = problems.length > SHOWN_MAX ? ` (and ${problems.length - SHOWN_MAX} more)` : "";
  const text = `${problems.slice(0, SHOWN_MAX).join("; ")}${more}. Parley never writes such rows: find out who changed the database, and restore a backup`;
  return { check, state: "problem", text };
}
