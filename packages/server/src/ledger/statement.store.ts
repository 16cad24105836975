import { sql } from "kysely";
import type { Db } from "../db/db.ts";

/** A change of an account. */
export interface StatementLine {
  id: number;
  kind: string;
  amount: string;
  balance: string | null;
  created_at: number;
}

/** Returns an account's newest entry; null if there is none. */
export async function newestEntry(db: Db, account: string, currency: string): Promise<number | null> {
  const row = await db
    .selectFrom("ledger_balances")
    .select("last_id")
    .where("account", "=", account)
    .where("currency", "=", currency)
    .executeTakeFirst();
  return row?.last_id ?? null;
}

/**
 * Returns the account's entry before that one; null if that one is the first; undefined if it is not an entry of this
 * account.
 */
export async function entryBefore(
  db: Db,
  account: string,
  currency: string,
  id: number,
): Promise<number | null | undefined> {
  const row = await db
    .selectFrom("ledger_entries")
    .select("previous_id")
    .where("id", "=", id)
    .where("account", "=", account)
    .where("currency", "=", currency)
    .executeTakeFirst();
  return row?.previous_id;
}

interface Link {
  id: number;
  /** Counted from 1, the newest. */
  place: number;
}

/**
 * Returns up to `limit` entries of an account from that one on, newest first, following each entry's link to its
 * predecessor.
 */
export function entriesFrom(db: Db, newest: number, limit: number): Promise<StatementLine[]> {
  const chain = sql<Link>`(
    select id, previous_id, 1 as place from ledger_entries where id = ${newest}
    union all
    select entry.id, entry.previous_id, place + 1
    from chain inner join ledger_entries entry on entry.id = chain.previous_id
    where place < ${limit}
  )`;
  return db
    .withRecursive("chain", () => chain)
    .selectFrom("chain")
    .innerJoin("ledger_entries as entry", "entry.id", "chain.id")
    .innerJoin("ledger_transfers as transfer", "transfer.id", "entry.transfer_id")
    .select(["entry.id", "transfer.kind", "entry.amount", "entry.balance", "transfer.created_at"])
    .orderBy("chain.place")
    .execute();
}
