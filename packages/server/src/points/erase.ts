import type { ErasingStep } from "../accounts/erased.ts";
import { ERASED, userAccount } from "./accounts.ts";
import { removeCounters } from "./daily-limits.store.ts";
import { blankHonor, holdingsOf } from "./erase.store.ts";
import { removeInvitationsOf } from "./invitations.store.ts";
import { postTransfer } from "./ledger.ts";
import { forgetOnlineTime } from "./online-time.ts";

/**
 * What he has left goes back to the system, so that the ledger sums to zero without an account that nobody can spend from; his messages and
 * his time online are counted no more. The ledger's lines stay: they name him by number only. Late, so that nothing is paid to him after it.
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
