import { DELETED_USER } from "@parley/protocol/privacy";
import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";

/** Erases the wallets the user paid with, and their name from what they put up for sale. Payments stay, anonymous. */
export const erasePayments: ErasingStep = async (ctx, { userId, username }) => {
  await forgetPayer(ctx.db, `u${userId}`);
  await renameSeller(ctx.db, username, DELETED_USER);
  return null;
};

/**
 * Deletes the wallets a user paid with and the challenges they got. The payment itself stays: it is also part of the
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

async function renameSeller(db: Db, username: string, label: string): Promise<void> {
  await db.updateTable("paid_resources").set({ created_by: label }).where("created_by", "=", username).execute();
}
