import type { ErasingStep } from "../erasure.ts";
import { claimKey } from "../red-packets/claim/claim-batch.ts";
import { refundKey } from "../red-packets/close/closing.ts";
import { forgetRecipients, packetsWith } from "./erase.store.ts";

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
