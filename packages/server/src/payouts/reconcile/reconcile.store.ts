import type { Db } from "../../db/db.ts";
import type { PayoutState } from "../../db/tables/payouts.ts";

export interface PayoutSum {
  id: number;
  chain: "evm" | "solana";
  chain_id: number;
  currency: string;
  token_address: string | null;
  ledger_currency: string;
  amount: string;
  state: PayoutState;
}

/** Returns a page of payouts by id, without those that only fill gaps. */
export function payoutsAfter(db: Db, after: number, limit: number): Promise<PayoutSum[]> {
  return db
    .selectFrom("payouts")
    .select(["id", "chain", "chain_id", "currency", "token_address", "ledger_currency", "amount", "state"])
    .where("purpose", "<>", "gap")
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

export interface Entry {
  id: number;
  kind: string;
  currency: string;
  amount: string;
}

/** Returns a page of a system account's entries by id, with the kind of each transfer. */
export function entriesAfter(db: Db, account: string, after: number, limit: number): Promise<Entry[]> {
  return db
    .selectFrom("ledger_entries as entry")
    .innerJoin("ledger_transfers as transfer", "transfer.id", "entry.transfer_id")
    .select(["entry.id", "transfer.kind", "entry.currency", "entry.amount"])
    .where("entry.account", "=", account)
    .where("entry.balance", "is", null)
    .where("entry.id", ">", after)
    .orderBy("entry.id")
    .limit(limit)
    .execute();
}

/** Returns the nonzero balances of a currency that people hold or are owed, without the platform's own. */
export function balancesOf(db: Db, currency: string): Promise<{ account: string; balance: string }[]> {
  return db
    .selectFrom("ledger_balances")
    .select(["account", "balance"])
    .where("currency", "=", currency)
    .where("balance", "<>", "0")
    .orderBy("account")
    .execute();
}

/** Returns the treasury accounts, through which value enters and leaves on chains. */
export async function treasuryAccounts(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("ledger_entries")
    .select("account")
    .distinct()
    .where("account", ">=", "system:treasury:")
    .where("account", "<", "system:treasury;")
    .where("balance", "is", null)
    .orderBy("account")
    .execute();
  return rows.map(({ account }) => account);
}
