import type { CloseReason, PacketChain, PacketStatus, PayoutStatus, SplitType } from "@parley/protocol/red-packets";
import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Red packets (protocol §6). The remaining amount is also the balance of the ledger account `packet:<id>`. */
export interface PacketsTable {
  id: Generated<number>;
  channel_id: number;
  /** null only inside the transaction that creates both. */
  message_id: number | null;
  sender_id: number;
  /** `u<user id>:<Idempotency-Key>`: unique, so a key belongs to its sender and never expires. */
  client_key: string | null;
  /** Fingerprint of the body that came with `client_key`. */
  client_hash: string | null;
  split_type: SplitType;
  chain: PacketChain;
  chain_id: number | null;
  currency: string;
  token_address: string | null;
  decimals: number;
  /** The currency's name in the ledger, unique over all chains. */
  ledger_currency: string;
  /** Decimal text in the smallest unit, as all amounts here. */
  total_amount: string;
  /** The amount neither claimed nor refunded. */
  remaining_amount: string;
  count: number;
  remaining_count: number;
  min_share: string;
  greeting: string;
  status: PacketStatus;
  close_reason: CloseReason | null;
  /** Hex. Secret until the packet is closed. */
  seed: string;
  commitment: string;
  /** The lifetime in seconds. */
  expires_in: number;
  /** On a chain: the reference by which a transfer may show that it funds this packet. */
  reference: string | null;
  tx_hash: string | null;
  funding_status: "waiting" | "pending" | "settled" | "failed";
  funding_problem: string | null;
  /** On a chain: the sender of the funding transfer, who also receives a refund. */
  funder: string | null;
  refund_amount: string | null;
  refund_status: PayoutStatus | null;
  refund_tx_hash: string | null;
  /** When the sweeper checks it next; null if there is nothing to wait for. */
  due_at: Millis | null;
  created_at: Millis;
  expires_at: Millis;
  closed_at: Millis | null;
}

/** Claimed shares: one per user and packet, one per rank. */
export interface PacketClaimsTable {
  /** The packet's id and the rank in one number (`claimId`). */
  id: number;
  packet_id: number;
  user_id: number;
  /** Starts at 1. */
  rank: number;
  amount: string;
  /** The address it is paid to; null for points. */
  address: string | null;
  payout_status: PayoutStatus;
  payout_tx_hash: string | null;
  claimed_at: Millis;
}

/** Chain transactions that have paid for something here: each for one thing, for ever (protocol §6, §7). */
export interface ChainReceiptsTable {
  chain: "evm" | "solana";
  chain_id: number;
  /** Normalized by `Chain.normalHash`. */
  tx_hash: string;
  purpose: "packet" | "payment";
  /** The thing it pays for, such as a packet's id. */
  subject: string;
  created_at: Millis;
}

export const dataClasses: DataClasses = {
  packets: {
    erased: {
      null: "client_key client_hash funder",
      keep: `id channel_id message_id sender_id split_type chain chain_id currency token_address decimals ledger_currency
      total_amount remaining_amount count remaining_count min_share greeting status close_reason seed commitment
      expires_in reference tx_hash funding_status funding_problem refund_amount refund_status refund_tx_hash due_at
      created_at expires_at closed_at`,
    },
    purged: "keep",
  },
  packet_claims: {
    erased: { null: "address", keep: "id packet_id user_id rank amount payout_status payout_tx_hash claimed_at" },
  },
  chain_receipts: { erased: { keep: "chain chain_id tx_hash purpose subject created_at" } },
};
