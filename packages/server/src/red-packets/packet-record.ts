import type { RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import type { Identity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../http/site-levels.ts";
import type { ClaimRow } from "./claim/packet-claims.store.ts";
import { SPLIT_ALGORITHM } from "./claim/split.ts";
import type { PacketRow } from "./packets.store.ts";

/**
 * The viewer of a record. Addresses, and transactions that reveal them, are shown only to those concerned and to
 * administrators.
 */
export interface Viewer {
  readonly userId: number | null;
  readonly seesAddresses: boolean;
}

/** The public view: events have many recipients. */
export const NOBODY: Viewer = { userId: null, seesAddresses: false };

export function viewerOf(caller: Identity): Viewer {
  return {
    userId: caller.kind === "user" ? caller.userId : null,
    seesAddresses: hasLevel(caller, ADMINISTRATOR),
  };
}

/** Returns whether the viewer may see the private parts of the packet. */
export const seesAll = (row: PacketRow, viewer: Viewer): boolean =>
  viewer.seesAddresses || viewer.userId === row.sender_id;

/** Returns the wire record (protocol §6). It contains the seed once nobody can claim any more. */
export function packetRecord(row: PacketRow, viewer: Viewer, myClaim: ClaimRow | null): RedPacket {
  const isOwn = seesAll(row, viewer);
  return {
    packet_id: row.id,
    channel_id: row.channel_id,
    message_id: row.message_id ?? 0,
    sender_username: row.sender_username,
    split_type: row.split_type,
    chain: row.chain,
    chain_id: row.chain_id,
    currency: row.currency,
    token_address: row.token_address,
    decimals: row.decimals,
    total_amount: row.total_amount,
    remaining_amount: row.remaining_amount,
    count: row.count,
    remaining_count: row.remaining_count,
    greeting: row.greeting,
    status: row.status,
    close_reason: row.close_reason,
    funding: {
      tx_hash: isOwn ? row.tx_hash : null,
      status: row.funding_status,
      problem: row.funding_problem,
      gas_paid_by: "user",
    },
    refund:
      row.refund_amount === null || row.refund_status === null
        ? null
        : { amount: row.refund_amount, status: row.refund_status, tx_hash: isOwn ? row.refund_tx_hash : null },
    fairness: {
      algorithm: SPLIT_ALGORITHM,
      min_share: row.min_share,
      commitment: row.commitment,
      seed: row.closed_at === null ? null : row.seed,
    },
    my_claim: myClaim === null ? null : claimRecord(row, myClaim, viewer),
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    closed_at: isoTimeOrNull(row.closed_at),
  };
}

export function claimRecord(packet: PacketRow, claim: ClaimRow, viewer: Viewer): RedPacketClaim {
  const isOwn = viewer.seesAddresses || viewer.userId === claim.user_id;
  return {
    claim_id: claim.id,
    packet_id: packet.id,
    username: claim.username,
    amount: claim.amount,
    currency: packet.currency,
    chain: packet.chain,
    address: isOwn ? claim.address : null,
    payout: { status: claim.payout_status, tx_hash: isOwn ? claim.payout_tx_hash : null, gas_paid_by: "platform" },
    rank: claim.rank,
    claimed_at: isoTime(claim.claimed_at),
  };
}
