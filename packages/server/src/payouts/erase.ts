import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { claimKey, refundKey } from "../red-packets/claim/payout-port.ts";

const PACKETS = 100;

/**
 * Erases the addresses that the user's settled payouts went to, and the signed bytes. Amounts and hashes stay for the
 * books. A public chain keeps its own record, which this server cannot erase.
 */
export const erasePayouts: ErasingStep = async (ctx, { userId }, { a: after }) => {
  const ids = await packetsWith(ctx.db, userId, after, PACKETS);
  const keys = ids.flatMap((id) => [claimKey(id, userId), refundKey(id)]);
  if (keys.length > 0) await forgetRecipients(ctx.db, keys);
  return ids.length < PACKETS ? null : { a: ids.at(-1) ?? 0, b: 0 };
};

/** Returns up to `limit` ids above `after` of packets that the user sent or claimed with an address. */
async function packetsWith(db: Db, userId: number, after: number, limit: number): Promise<number[]> {
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
async function forgetRecipients(db: Db, keys: readonly string[]): Promise<void> {
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
