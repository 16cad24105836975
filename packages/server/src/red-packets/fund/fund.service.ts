import type { Deposit, RedPacket } from "@parley/protocol/red-packets";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import type { Network } from "../create/packet-assets.ts";
import { channelOfPacket, lockPacket } from "../locked-packet.ts";
import { packetRecord, viewerOf } from "../packet-record.ts";
import { findPacket, type PacketRow } from "../packets.store.ts";
import { acceptFunding, type ExpectedDeposit, lookAtFunding } from "./funding.ts";

/**
 * Names the transaction that funds a packet. It is credited once final, now or later; one that arrives after the packet
 * was given up is refunded. The sender may call this even if banned or if the channel is deleted: their transfer is
 * already made. Another transaction may be named until one has proved right; repeating the same one is a no-op.
 * Errors: `packet_not_found`, `password_required`, `banned` (not the sender), `forbidden`, `packet_not_active`,
 * `invalid_tx_hash`, `tx_already_used`, `funding_mismatch`, `chain_unavailable`.
 */
export async function fundPacket(
  ctx: AppContext,
  caller: UserIdentity,
  packetId: number,
  txHash: string,
): Promise<RedPacket> {
  const packet = await findPacket(ctx.db, packetId);
  if (packet?.sender_id !== caller.userId || packet.chain === "ledger") {
    await channelOfPacket(ctx, caller, packetId);
    throw fail(packet?.sender_id === caller.userId ? "packet_not_active" : "forbidden");
  }
  const network = networkOf(ctx, packet);
  if (network === null) throw fail("chain_unavailable");
  const isSame = packet.tx_hash !== null && packet.tx_hash === network.chain.normalHash(txHash);
  if (isSame && packet.funding_status === "settled") return packetRecord(packet, viewerOf(caller), null);
  refuseWhenFunded(packet, isSame);
  const funding = await lookAtFunding(ctx, network, expectedDeposit(packet), txHash, packetId);
  const row = await transact(ctx, async (ctx) => {
    const locked = await lockPacket(ctx, packet.channel_id, packetId);
    // It was credited while the chain was queried.
    if (locked.tx_hash === funding.txHash && locked.funding_status === "settled") return locked;
    refuseWhenFunded(locked, locked.tx_hash === funding.txHash);
    return acceptFunding(ctx, locked, funding);
  });
  return packetRecord(row, viewerOf(caller), null);
}

/** A packet that has its transaction accepts no other. */
function refuseWhenFunded({ funding_status, funder }: PacketRow, isSame: boolean): void {
  if (funding_status === "settled" || (funder !== null && !isSame)) throw fail("packet_not_active");
}

/** Returns what the sender has to transfer. */
export const expectedDeposit = ({ sender_id, total_amount, reference, created_at }: PacketRow): ExpectedDeposit => ({
  senderId: sender_id,
  amount: BigInt(total_amount),
  reference,
  createdAt: created_at,
});

/** Returns the network of a packet as configured now; null for points, or if chain, asset or treasury no longer is. */
export function networkOf(ctx: AppContext, row: PacketRow): Network | null {
  if (row.chain === "ledger" || row.chain_id === null) return null;
  const chain = chainsOf(ctx).find(row.chain, row.chain_id);
  const asset = chain?.assets.find(({ tokenAddress }) => tokenAddress === row.token_address);
  if (chain === null || asset === undefined || chain.treasury === null) return null;
  return { chain, asset, treasury: chain.treasury };
}

/** Describes the transfer that funds a packet; null if it needs none, or its chain or treasury is not configured. */
export function depositOf(ctx: AppContext, row: PacketRow): Deposit | null {
  const { chain, chain_id, reference, total_amount } = row;
  if (chain === "ledger" || chain_id === null || reference === null) return null;
  const address = chainsOf(ctx).find(chain, chain_id)?.treasury ?? null;
  return address === null ? null : { address, amount: total_amount, chain_id, reference };
}
