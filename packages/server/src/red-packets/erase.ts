import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { fail } from "../errors.ts";
import { hasOpenPacket, isOpenPacket } from "./packets.store.ts";

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

/** Returns whether value may still move out of this user's packets, or to the user. */
async function hasOpenValue(db: Db, userId: number): Promise<boolean> {
  const sent = await db
    .selectFrom("packets")
    .select("id")
    .where("sender_id", "=", userId)
    .where(isOpenPacket)
    .limit(1)
    .executeTakeFirst();
  if (sent !== undefined) return true;
  const claimed = await db
    .selectFrom("packet_claims")
    .select("id")
    .where("user_id", "=", userId)
    .where("address", "is not", null)
    .where("payout_status", "=", "pending")
    .limit(1)
    .executeTakeFirst();
  return claimed !== undefined;
}

/**
 * Deletes the user's addresses from paid claims and, from packets that are not open, the funding address and the
 * idempotency key and hash they were made with.
 */
async function forgetWallets(db: Db, userId: number): Promise<void> {
  await db
    .updateTable("packet_claims")
    .set({ address: null })
    .where("user_id", "=", userId)
    .where("address", "is not", null)
    .where("payout_status", "=", "settled")
    .execute();
  await db
    .updateTable("packets")
    .set({ funder: null, client_key: null, client_hash: null })
    .where("sender_id", "=", userId)
    .where((eb) => eb.not(isOpenPacket(eb)))
    .execute();
}
