import type { Generated } from "kysely";
import type { Millis } from "./tables.ts";

/** Demands for payment that were given out (protocol §7). Each is used by one payment; forgotten after a day. */
export interface PaymentChallengesTable {
  /** Also what a transfer may carry to show what it is for: `Chain.reference` of random bytes. */
  payment_id: string;
  /** The path that is paid for. */
  resource: string;
  /** Who asked: `u<user id>`, `a<agent id>`, or `g`, a guest. */
  principal: string;
  chain: "evm" | "solana";
  chain_id: number;
  currency: string;
  token_address: string | null;
  recipient: string;
  /** Decimal text in the smallest unit, as all amounts here. */
  price: string;
  /**
   * The price and a tail that no other stored demand of this recipient and asset has: a transfer of exactly that amount is this demand's.
   * Equal to the price where there is no tail.
   */
  amount: string;
  created_at: Millis;
  expires_at: Millis;
  /** The payment that used it. */
  used_by: number | null;
  /** When a transaction was seen that carries its id. From then on the id is public and recognises no guest; null: none was. */
  revealed_at: Millis | null;
}

/**
 * Transactions that were presented as payment. Of one transaction at most one row is not `refused`: that is the reservation. What is
 * granted also stands in `chain_receipts`, with this row's id as its subject.
 */
export interface PaymentsTable {
  id: Generated<number>;
  chain: "evm" | "solana";
  chain_id: number;
  /** As `Chain.normalHash` writes it. */
  tx_hash: string;
  resource: string;
  /** Who presented it; see `payment_challenges`. */
  principal: string;
  state: "verifying" | "granted" | "refused" | "revoked";
  reason: string | null;
  /** `verifying`: until when this is somebody's work; after a crash another takes it over. */
  lease_until: Millis;
  payment_id: string | null;
  currency: string;
  recipient: string;
  price: string;
  amount: string | null;
  payer: string | null;
  binding: "signature" | "reference" | "profile" | "amount" | "none" | null;
  /** Where the transaction stood when it was looked at last. */
  block_hash: string | null;
  created_at: Millis;
  granted_at: Millis | null;
  /** Granted: when the chain is asked again whether it still has the transaction; null: never more. */
  due_at: Millis | null;
  /** SHA-256, in hex, of the token by which anybody may fetch again what it bought; null: none was given out. */
  refetch_hash: string | null;
}

/**
 * Signed transfers of EVM tokens (EIP-3009) that were presented as payment and that a facilitator brings to the chain. A row is the
 * reservation of its authorization; the signature itself is not kept.
 */
export interface PaymentSettlementsTable {
  id: Generated<number>;
  chain_id: number;
  token_address: string;
  /** Whose value it is; an authorization is named by chain, token, authorizer and nonce. */
  authorizer: string;
  nonce: string;
  resource: string;
  /** Who presented it; see `payment_challenges`. */
  principal: string;
  payment_id: string;
  currency: string;
  recipient: string;
  amount: string;
  valid_before: Millis;
  /**
   * - `reserved`: nobody has been asked to settle it. What is in this state after a crash is given back.
   * - `settling`: the facilitator may have been told to; from here on only the chain says what became of it.
   * - `settled`: `tx_hash` has done it, and is not final yet.
   * - `granted`: `tx_hash` stands in `payments`.
   * - `refused`: it moved nothing and never will, or what it moved is not the price.
   */
  state: "reserved" | "settling" | "settled" | "granted" | "refused";
  reason: string | null;
  /** Until when this is somebody's work; after a crash another takes it over. */
  lease_until: Millis;
  /** A height of the chain from before it was sent; null while `reserved`. */
  from_height: number | null;
  tx_hash: string | null;
  created_at: Millis;
  /** When the chain is asked what became of it, whoever waits; null: that is known. */
  due_at: Millis | null;
}

/** What is sold under /api/paid. */
export interface PaidResourcesTable {
  slug: string;
  /** The path it is sold under, as payments name it. */
  path: string;
  description: string | null;
  media_type: string;
  body: Uint8Array;
  size_bytes: number;
  amount: string;
  currency: string;
  chain: "evm" | "solana";
  chain_id: number;
  created_by: string;
  created_at: Millis;
}

/** What was taken off sale within two days: who has paid for it still gets it. */
export interface RemovedPaidResourcesTable
  extends Pick<
    PaidResourcesTable,
    "path" | "description" | "media_type" | "amount" | "currency" | "chain_id" | "body"
  > {
  id: Generated<number>;
  removed_at: Millis;
}
