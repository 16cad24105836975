import type { Db } from "../db/db.ts";
import { isOpenPacket } from "./packets.store.ts";

/** Returns whether value may still move out of this user's packets, or to the user. */
export async function hasOpenValue(db: Db, userId: number): Promise<boolean> {
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
export async function forgetWallets(db: Db, userId: number): Promise<void> {
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
