import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

/** An entry as the proof reads it. */
export interface ProofEntry {
  id: number;
  transfer_id: number;
  currency: string;
  account: string;
  amount: string;
  balance: string | null;
  /** null: its transfer is missing. */
  kind: string | null;
}

export interface Balance {
  account: string;
  currency: string;
  balance: string;
}

export interface Earned {
  user_id: number;
  total_points: number;
}

/** Entries in the order they were written. */
export function entriesAfter(db: Db, id: number, limit: number): Promise<ProofEntry[]> {
  return db
    .selectFrom("ledger_entries as entry")
    .leftJoin("ledger_transfers as transfer", "transfer.id", "entry.transfer_id")
    .select([
      "entry.id",
      "entry.transfer_id",
      "entry.currency",
      "entry.account",
      "entry.amount",
      "entry.balance",
      "transfer.kind",
    ])
    .where("entry.id", ">", id)
    .orderBy("entry.id")
    .limit(limit)
    .execute();
}

/** Transfers that moved nothing: their entries are gone. */
export function emptyTransfers(db: Db, limit: number): Promise<{ id: number; key: string }[]> {
  return db
    .selectFrom("ledger_transfers as transfer")
    .select(["transfer.id", "transfer.key"])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom("ledger_entries as entry").select("entry.id").whereRef("entry.transfer_id", "=", "transfer.id"),
        ),
      ),
    )
    .orderBy("transfer.id")
    .limit(limit)
    .execute();
}

export function balancesAfter(db: Db, account: string, currency: string, limit: number): Promise<Balance[]> {
  return db
    .selectFrom("ledger_balances")
    .select(["account", "currency", "balance"])
    .where((eb) =>
      eb.or([eb("account", ">", account), eb.and([eb("account", "=", account), eb("currency", ">", currency)])]),
    )
    .orderBy("account")
    .orderBy("currency")
    .limit(limit)
    .execute();
}

export function earnedAfter(db: Db, userId: number, limit: number): Promise<Earned[]> {
  return db
    .selectFrom("honor")
    .select(["user_id", "total_points"])
    .where("user_id", ">", userId)
    .orderBy("user_id")
    .limit(limit)
    .execute();
}
