import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { ERASED, userAccount } from "../ledger/account-names.ts";
import { postTransfer } from "../ledger/ledger.ts";
import { removeCounters } from "./daily-limits.ts";
import { removeInvitationsOf } from "./invitations.store.ts";
import { forgetOnlineTime } from "./online-time.ts";

/**
 * Returns the user's remaining balance to the system, so that the ledger sums to zero without an account that nobody
 * can spend from, and clears the counts of their messages and online time. The ledger entries stay: they contain only
 * the user's id. Runs late, so that nothing is paid to the user afterwards.
 */
export const erasePoints: ErasingStep = async (ctx, { userId }) => {
  const account = userAccount(userId);
  await removeInvitationsOf(ctx.db, userId);
  await removeCounters(ctx.db, userId);
  for (const { currency, balance } of await holdingsOf(ctx.db, account)) {
    const amount = BigInt(balance);
    const legs = [
      { account, amount: -amount },
      { account: ERASED, amount },
    ];
    await postTransfer(ctx, { key: `erase:${userId}:${currency}`, kind: "erase", currency, legs });
  }
  forgetOnlineTime(ctx, userId);
  await blankHonor(ctx.db, userId);
  return null;
};

/** Returns an account's balances that are not zero, in every currency. */
function holdingsOf(db: Db, account: string): Promise<{ currency: string; balance: string }[]> {
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
async function blankHonor(db: Db, userId: number): Promise<void> {
  await db
    .updateTable("honor")
    .set({ message_count: 0, online_ms: 0, counted_until: null })
    .where("user_id", "=", userId)
    .execute();
}
