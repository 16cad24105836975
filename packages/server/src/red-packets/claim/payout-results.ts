import type { PayoutStatus } from "@parley/protocol/red-packets";
import type { AppContext } from "../../context.ts";
import { change, lockPacket, packetFacts } from "../locked-packet.ts";
import type { PacketRow } from "../packets.store.ts";
import { publishPacket, publishShare } from "../publish-packet.ts";
import { claimsOfUsers, setClaimPayout } from "./packet-claims.store.ts";
import { parsePayoutKey } from "./payout-port.ts";

/** The status of a requested payout. */
export interface PayoutResult {
  /** As in the request. */
  readonly key: string;
  readonly status: PayoutStatus;
  /** Hash of the transaction that is on its way or has paid. */
  readonly hash: string | null;
}

/**
 * Stores the status of a payout in its claim or refund, in the caller's transaction, and notifies those who can see it.
 * A settled one is permanent. The payer updates the ledger. Ignores keys that are not of packets.
 */
export async function payoutChanged(ctx: AppContext, { key, status, hash }: PayoutResult): Promise<void> {
  const owed = parsePayoutKey(key);
  if (owed === null) return;
  const { packetId, userId } = owed;
  const facts = await packetFacts(ctx, packetId);
  if (facts === null) throw new Error(`The payout ${key} is for a packet that does not exist.`);
  const row = await lockPacket(ctx, facts.channelId, packetId);
  if (userId === null) await refundChanged(ctx, row, status, hash);
  else await shareChanged(ctx, row, userId, { payout_status: status, payout_tx_hash: hash });
}

async function shareChanged(
  ctx: AppContext,
  row: PacketRow,
  userId: number,
  payout: Parameters<typeof setClaimPayout>[3],
): Promise<void> {
  const [claim] = await claimsOfUsers(ctx.db, row.id, [userId]);
  if (claim === undefined || claim.payout_status === "settled") return;
  await setClaimPayout(ctx.db, row.id, userId, payout);
  await publishShare(ctx, row, claim, { ...claim, ...payout });
}

async function refundChanged(
  ctx: AppContext,
  row: PacketRow,
  status: PayoutStatus,
  hash: string | null,
): Promise<void> {
  if (row.refund_amount === null || row.refund_status === "settled") return;
  const isDone = status === "settled" ? { status: "refunded" as const } : {};
  await publishPacket(ctx, row, await change(ctx, row, { refund_status: status, refund_tx_hash: hash, ...isDone }));
}
