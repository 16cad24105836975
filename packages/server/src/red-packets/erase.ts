import type { AppContext } from "../context.ts";
import type { ErasingStep } from "../erasure.ts";
import { fail } from "../errors.ts";
import { forgetWallets, hasOpenValue } from "./erase.store.ts";
import { hasOpenPacket } from "./packets.store.ts";

/**
 * Prevents deleting a channel while value may still move out of its packets (protocol §3). It runs under the lock
 * of the channel's row, which creating a packet takes too. Errors: `open_red_packets`.
 */
export async function refuseOpenPackets(ctx: AppContext, channelId: number): Promise<void> {
  if (await hasOpenPacket(ctx.db, channelId)) throw fail("open_red_packets");
}

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
