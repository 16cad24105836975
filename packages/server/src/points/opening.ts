import type { AppContext } from "../context.ts";
import { GRANTS, POINTS, userAccount } from "../ledger/account-names.ts";
import { postTransfer } from "../ledger/ledger.ts";

/**
 * Grants a new user their initial points, inside the transaction that makes the user. They are not earned, so they do
 * not count towards honor.
 */
export async function grantInitialPoints(ctx: AppContext, userId: number): Promise<void> {
  const amount = BigInt(ctx.config.initialPoints);
  if (amount === 0n) return;
  const legs = [
    { account: GRANTS, amount: -amount },
    { account: userAccount(userId), amount },
  ];
  await postTransfer(ctx, { key: grantKey(userId), kind: "grant", currency: POINTS, legs });
}

/** The key of the transfer that grants a user their initial points. */
export const grantKey = (userId: number): string => `grant:${userId}`;
