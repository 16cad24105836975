import type { CloseReason, PacketChain, PacketStatus, PayoutStatus, SplitType } from "@parley/protocol/red-packets";
import type { Generated } from "kysely";
import type { Millis } from "./tables.ts";

/** Red packets (protocol §6). What is left of one is also the balance of its ledger account, `packet:<id>`. */
export interface PacketsTable {
  id: Generated<number>;
  channel_id: number;
  /** null only inside the transaction that makes both. */
  message_id: number | null;
  sender_id: number;
  /** `u<user id>:<Idempotency-Key>`: unique, so a key belongs to its sender and holds for ever. */
  client_key: string | null;
  /** Fingerprint of the body that came with `client_key`. */
  client_hash: string | null;
  split_type: SplitType;
  chain: PacketChain;
  chain_id: number | null;
  currency: string;
  token_address: string | null;
  decimals: number;
  /** Names the currency in the ledger, over all chains. */
  ledger_currency: string;
  /** Decimal text in the smallest unit, as all amounts here. */
  total_amount: string;
  /** What nobody has claimed and what was not given back. */
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
  /** Seconds in which it can be claimed. */
  expires_in: number;
  /** On a chain: what a transfer may carry to show that it is for this packet. */
  reference: string | null;
  tx_hash: string | null;
  funding_status: "waiting" | "pending" | "settled" | "failed";
  funding_problem: string | null;
  /** On a chain: whose transfer funded it, and who is refunded. */
  funder: string | null;
  refund_amount: string | null;
  refund_status: PayoutStatus | null;
  refund_tx_hash: string | null;
  /** When the sweeper looks at it next; null: there is nothing to wait for. */
  due_at: Millis | null;
  created_at: Millis;
  expires_at: Millis;
  closed_at: Millis | null;
}

/** Claimed shares: one a user and packet, one a rank. */
export interface PacketClaimsTable {
  /** The packet's number and the rank in one (packets/claim-id.ts). */
  id: number;
  packet_id: number;
  user_id: number;
  /** From 1. */
  rank: number;
  amount: string;
  /** Where it is paid to; null for points. */
  address: string | null;
  payout_status: PayoutStatus;
  payout_tx_hash: string | null;
  claimed_at: Millis;
}

/** Transactions on chains that have paid for something here: each for one thing, for ever (protocol §6, §7). */
export interface ChainReceiptsTable {
  chain: "evm" | "solana";
  chain_id: number;
  /** As `Chain.normalHash` writes it. */
  tx_hash: string;
  purpose: "packet" | "payment";
  /** What it pays for, such as a packet's id. */
  subject: string;
  created_at: Millis;
}
