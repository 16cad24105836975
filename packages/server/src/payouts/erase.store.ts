import type { Db } from "../db/db.ts";

/** Returns up to `limit` ids above `after` of packets that the user sent or claimed with an address. */
export async function packetsWith(db: Db, userId: number, after: number, limit: number): Promise<number[]> {
  const claimed = await db
    .selectFrom("packet_claims")
    .select("packet_id as id")
    .where("user_id", "=", userId)
    .where("address", "is not", null)
    .where("packet_id", ">", after)
    .orderBy("packet_id")
    .limit(limit)
    .execute();
  const sent = await db
    .selectFrom("packets")
    .select("id")
    .where("sender_id", "=", userId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return [...new Set([...claimed, ...sent].map(({ id }) => id))].sort((a, b) => a - b).slice(0, limit);
}

/**
 * Clears the recipients and signed bytes of those of these payouts that are settled. Payouts that can still be paid
 * need their recipients.
 */
export async function forgetRecipients(db: Db, keys: readonly string[]): Promise<void> {
  const rows = await db
    .updateTable("payouts")
    .set({ recipient: "" })
    .where("key", "in", keys)
    .where("state", "=", "settled")
    .returning("id")
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0)
    await db.updateTable("payout_attempts").set({ bytes: "" }).where("payout_id", "in", ids).execute();
}
