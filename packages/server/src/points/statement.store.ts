import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

/** A change of an account, by the number of its transfer. */
export interface StatementLine {
  id: number;
  kind: string;
  amount: string;
  balance: string | null;
  created_at: number;
}

/** The newest transfer that moved an account; null: none did. */
export async function lastEntry(db: Db, account: string, currency: string): Promise<number | null> {
  const row = await db
    .selectFrom("ledger_balances")
    .select("last_id")
    .where("account", "=", account)
    .where("currency", "=", currency)
    .executeTakeFirst();
  return row?.last_id ?? null;
}

/** The transfer that moved an account before that one; undefined: that one did not move it. */
export async function entryBefore(
  db: Db,
  account: string,
  currency: string,
  id: number,
): Promise<number | null | undefined> {
  const row = await db
    .selectFrom("ledger_entries")
    .select("previous_id")
    .where("transfer_id", "=", id)
    .where("account", "=", account)
    .where("currency", "=", currency)
    .executeTakeFirst();
  return row === undefined ? undefined : row.previous_id;
}

interface Link {
  transfer_id: number;
  previous_id: number | null;
  /** From 1, which is the newest. */
  place: number;
}

/** Up to `limit` changes of an account from that transfer on, the newest first: each names the one before it. */
export function chainOfEntries(db: Db, account: string, from: number, limit: number): Promise<StatementLine[]> {
  const chain = sql<Link>`(
    select transfer_id, previous_id, 1 as place from ledger_entries where transfer_id = ${from} and account = ${account}
    union all
    select entry.transfer_id, entry.previous_id, place + 1
    from chain inner join ledger_entries entry on entry.transfer_id = chain.previous_id
    where entry.account = ${account} and place < ${limit}
  )`;
  return db
    .withRecursive("chain", () => chain)
    .selectFrom("chain")
    .innerJoin("ledger_transfers as transfer", "transfer.id", "chain.transfer_id")
    .innerJoin("ledger_entries as entry", "entry.transfer_id", "chain.transfer_id")
    .select(["transfer.id", "transfer.kind", "entry.amount", "entry.balance", "transfer.created_at"])
    .where("entry.account", "=", account)
    .orderBy("chain.place")
    .execute();
}
