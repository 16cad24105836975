import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

/** Forgets the wallets a user paid with, and what was demanded of him. That he paid stays: it is the seller's account, too. */
export async function forgetPayer(db: Kysely<Tables>, principal: string): Promise<void> {
  await db
    .updateTable("payments")
    .set({ payer: null, refetch_hash: null })
    .where("principal", "=", principal)
    .execute();
  // One that is on its way keeps what it needs to be found; it is forgotten two days later with all others.
  await db
    .deleteFrom("payment_settlements")
    .where("principal", "=", principal)
    .where("state", "in", ["granted", "refused"])
    .execute();
  await db.deleteFrom("payment_challenges").where("principal", "=", principal).execute();
}
