import type { ErasingStep } from "../accounts/erased.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { forgetWallets, hasOpenValue } from "./erase.store.ts";

/**
 * Nobody goes while value of his may still move: an open packet of his, a payout to him that is under way. In the transaction that closes
 * his account. Errors: `open_red_packets`.
 */
export async function refuseOpenValue(ctx: AppContext, userId: number): Promise<void> {
  if (!(await hasOpenValue(ctx.db, userId))) return;
  throw fail("open_red_packets", { message: "A red packet of this account is open, or a payout to it is under way." });
}

/** His addresses go from what is settled. A payout that failed keeps its own: it may still be made. */
export const erasePackets: ErasingStep = async (ctx, { userId }) => {
  await forgetWallets(ctx.db, userId);
  return null;
};
