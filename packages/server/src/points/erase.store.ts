import type { Kysely } from "kysely";
import type { Tables } from "../db/tables/tables.ts";

type Db = Kysely<Tables>;

/** Returns an account's balances that are not zero, in every currency. */
export function holdingsOf(db: Db, account: string): Promise<{ currency: string; balance: string }[]> {
  return db
    .selectFrom("ledger_balances")
    .select(["currency", "balance"])
    .where("account", "=", account)
    .where("balance", "<>", "0")
    .orderBy("currency")
    .execute();
}

/**
 * Resets the counts of a user's activity. The points earned stay, because the ledger audit compares them with the
 * entries.
 */
export async function blankHonor(db: Db, userId: number): Promise<void> {
  await db
    .updateTable("honor")
    .set({ message_count: 0, online_ms: 0, counted_until: null })
    .where("user_id", "=", userId)
    .execute();
}
