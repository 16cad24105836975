import { sql } from "kysely";
import type { Db } from "../db/db.ts";
import { LEGS_MAX } from "../ledger/transfer.ts";

const LEGS = sql.lit(LEGS_MAX);

/** An entry as the audit reads it. */
export interface AuditedEntry {
  id: number;
  transfer_id: number;
  account: string;
  currency: string;
  amount: string;
  balance: string | null;
  previous_id: number | null;
  /** The account's balance after the previous entry; null if the account has no such entry in this currency. */
  before: string | null;
  /** Null when its transfer is missing. */
  kind: string | null;
}

export interface Balance {
  account: string;
  currency: string;
  balance: string;
  last_id: number | null;
}

export interface Earned {
  user_id: number;
  total_points: number;
}

/** Returns entries in the order of their ids, which is that of their transfers. */
export function entriesAfter(db: Db, id: number, limit: number): Promise<AuditedEntry[]> {
  return db
    .selectFrom("ledger_entries as entry")
    .leftJoin("ledger_transfers as transfer", "transfer.id", "entry.transfer_id")
    .leftJoin("ledger_entries as earlier", (join) =>
      join
        .onRef("earlier.id", "=", "entry.previous_id")
        .onRef("earlier.account", "=", "entry.account")
        .onRef("earlier.currency", "=", "entry.currency"),
    )
    .select([
      "entry.id",
      "entry.transfer_id",
      "entry.account",
      "entry.currency",
      "entry.amount",
      "entry.balance",
      "entry.previous_id",
      "earlier.balance as before",
      "transfer.kind",
    ])
    .where("entry.id", ">", id)
    .orderBy("entry.id")
    .limit(limit)
    .execute();
}

/** Returns transfers without entries. */
export function emptyTransfers(db: Db, limit: number): Promise<{ id: number; key: string }[]> {
  return db
    .selectFrom("ledger_transfers as transfer")
    .select(["transfer.id", "transfer.key"])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("ledger_entries as entry")
            .select("entry.id")
            .where(sql<boolean>`entry.id >= transfer.id * ${LEGS} and entry.id < (transfer.id + 1) * ${LEGS}`),
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
    .select(["account", "currency", "balance", "last_id"])
    .where(sql<boolean>`(account, currency) > (${account}, ${currency})`)
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
