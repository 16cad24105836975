import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";

/** Erases the wallets the user paid with; the payments stay, anonymous. */
export const erasePayments: ErasingStep = async (ctx, { userId }) => {
  await forgetPayer(ctx.db, `u${userId}`);
  return null;
};

/**
 * Deletes the wallets a user paid with and the demands made of them. The payment itself stays: it is also part of the
 * seller's accounts.
 */
export async function forgetPayer(db: Db, principal: string): Promise<void> {
  await db
    .updateTable("payments")
    .set({ payer: null, refetch_hash: null })
    .where("principal", "=", principal)
    .execute();
  // A settlement under way keeps what is needed to find it; it is deleted two days later with all others.
  await db
    .deleteFrom("payment_settlements")
    .where("principal", "=", principal)
    .where("state", "in", ["granted", "refused"])
    .execute();
  await db.deleteFrom("payment_challenges").where("principal", "=", principal).execute();
}
