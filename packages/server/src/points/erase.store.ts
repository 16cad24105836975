import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

type Db = Kysely<Tables>;

/** What an account has, in every currency that is not at zero. */
export function holdingsOf(db: Db, account: string): Promise<{ currency: string; balance: string }[]> {
  return db
    .selectFrom("ledger_balances")
    .select(["currency", "balance"])
    .where("account", "=", account)
    .where("balance", "<>", "0")
    .orderBy("currency")
    .execute();
}

/** Forgets what was counted of a user. What he earned stays: the ledger's proof compares it with the entries. */
export async function blankHonor(db: Db, userId: number): Promise<void> {
  await db
    .updateTable("honor")
    .set({ message_count: 0, online_ms: 0, counted_until: null })
    .where("user_id", "=", userId)
    .execute();
}
