import type { Db } from "../db/db.ts";
import {
  type AuditedEntry,
  type Balance,
  balancesAfter,
  type Earned,
  earnedAfter,
  emptyTransfers,
  entriesAfter,
} from "./ledger-audit.store.ts";
import { LedgerAudit } from "./ledger-audit.ts";

const PAGE = 5_000;
/** The maximum number of reported transfers without entries. */
const EMPTY_MAX = 100;

/**
 * Audits the whole ledger of a database that does not change (a snapshot). No problems means that every point is
 * accounted for.
 */
export async function auditLedger(db: Db): Promise<{ entries: number; problems: readonly string[] }> {
  const audit = new LedgerAudit();
  for await (const entry of pages((last?: AuditedEntry) => entriesAfter(db, last?.id ?? 0, PAGE))) audit.entry(entry);
  for (const transfer of await emptyTransfers(db, EMPTY_MAX)) audit.empty(transfer);
  const balances = (last?: Balance) => balancesAfter(db, last?.account ?? "", last?.currency ?? "", PAGE);
  for await (const balance of pages(balances)) audit.balance(balance);
  for await (const row of pages((last?: Earned) => earnedAfter(db, last?.user_id ?? 0, PAGE))) audit.earned(row);
  audit.finish();
  return audit;
}

async function* pages<T>(read: (last?: T) => Promise<T[]>): AsyncGenerator<T> {
  for (let page = await read(); ; page = await read(page.at(-1))) {
    yield* page;
    if (page.length < PAGE) return;
  }
}
