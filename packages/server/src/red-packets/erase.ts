import type { AppContext } from "../context.ts";
import type { ErasingStep } from "../erasure.ts";
import { fail } from "../errors.ts";
import { forgetWallets, hasOpenValue } from "./erase.store.ts";

/**
 * Prevents closing an account while its value may still move: an open packet of the user, or a payout to them under
 * way. Runs in the transaction that closes the account. Errors: `open_red_packets`.
 */
export async function refuseOpenValue(ctx: AppContext, userId: number): Promise<void> {
  if (!(await hasOpenValue(ctx.db, userId))) return;
  throw fail("open_red_packets", {
    message: "This account has an open red packet or a payout under way. Wait until it is finished.",
  });
}

/** Erases the user's addresses from settled items. A failed payout keeps its address: it may be retried. */
export const erasePackets: ErasingStep = async (ctx, { userId }) => {
  await forgetWallets(ctx.db, userId);
  return null;
};
