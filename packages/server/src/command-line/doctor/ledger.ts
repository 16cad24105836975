import { counted } from "../../base/counted.ts";
import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import type { Db } from "../../db/db.ts";
import { type DatabaseFacts, isReadable } from "../../db/inspect.ts";
import { readSnapshot } from "../../db/snapshot.ts";
import { auditLedger } from "../../points/audit-database.ts";
import { auditPackets } from "../../red-packets/audit-packets.ts";
import type { Finding } from "./checks.ts";

/** Further findings most likely have the same cause. */
const SHOWN_MAX = 10;

/**
 * Checks that every point and every other value is accounted for, and that red packets agree with the ledger (protocol
 * §6). Skips a database of another schema.
 */
export async function checkLedger({ database }: Config, facts: DatabaseFacts | Error | null): Promise<Finding[]> {
  if (!isReadable(facts)) return [];
  const { ledger, sent } = await readSnapshot(database, systemClock, async (db: Db) => ({
    ledger: await auditLedger(db),
    sent: await auditPackets(db),
  }));
  return [
    finding("ledger", ledger.problems, `${counted(ledger.entries, "entry", "entries")}, and all sums are right`),
    finding(
      "red packets",
      sent.problems,
      sent.packets === 0
        ? "none yet"
        : `${sent.packets}, and in each the claimed, returned and remaining amounts add up`,
    ),
  ];
}

function finding(check: string, problems: readonly string[], fine: string): Finding {
  if (problems.length === 0) return { check, state: "ok", text: fine };
  const more = problems.length > SHOWN_MAX ? ` (and ${problems.length - SHOWN_MAX} more)` : "";
  const text = `${problems.slice(0, SHOWN_MAX).join("; ")}${more}. Parley never writes such rows: find out who changed the database, and restore a backup`;
  return { check, state: "problem", text };
}
