import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Payment challenges that were issued (protocol §7). Each is used by one payment, and deleted after a day. */
export interface PaymentChallengesTable {
  /** Also the reference by which a transfer may show what it pays for: `Chain.reference` of random bytes. */
  payment_id: string;
  /** The path of the paid resource. */
  resource: string;
  /** The caller: `u<user id>`, `a<agent id>`, or `g` for a guest. */
  principal: string;
  chain: "evm" | "solana";
  chain_id: number;
  currency: string;
  token_address: string | null;
  recipient: string;
  /** Decimal text in the smallest unit, as all amounts here. */
  price: string;
  /**
   * The price plus a tail that no other stored challenge of this recipient and asset has: a transfer of exactly that
   * amount pays this challenge. Equal to the price if there is no tail.
   */
  amount: string;
  created_at: Millis;
  expires_at: Millis;
  /** The payment that used it. */
  used_by: number | null;
  /**
   * When a transaction that carries its id was seen; null if none was. From then on the id is public and no longer
   * identifies a guest.
   */
  revealed_at: Millis | null;
}

/**
 * Transactions that were presented as payment. At most one row per transaction is not `refused`: that is the
 * reservation. A granted transaction is also in `chain_receipts`, with this row's id as its subject.
 */
export interface PaymentsTable {
  id: Generated<number>;
  chain: "evm" | "solana";
  chain_id: number;
  /** Normalized by `Chain.normalHash`. */
  tx_hash: string;
  resource: string;
  /** The caller who presented it, as in `payment_challenges`. */
  principal: string;
  state: "verifying" | "granted" | "refused" | "revoked";
  reason: string | null;
  /** `verifying`: the end of the worker's lease; after a crash another worker takes over. */
  lease_until: Millis;
  payment_id: string | null;
  currency: string;
  recipient: string;
  price: string;
  amount: string | null;
  payer: string | null;
  binding: "signature" | "reference" | "profile" | "amount" | "none" | null;
  /** The transaction's block at the last check. */
  block_hash: string | null;
  created_at: Millis;
  granted_at: Millis | null;
  /** Granted: when to check again that the chain still has the transaction; null: never again. */
  due_at: Millis | null;
  /** SHA-256, in hex, of the token by which anybody may fetch the purchase again; null if none was issued. */
  refetch_hash: string | null;
}

/**
 * Signed transfers of EVM tokens (EIP-3009) that were sent as payment and that a facilitator submits to the chain.
 * A row reserves its authorization; the signature itself is not stored.
 */
export interface PaymentSettlementsTable {
  id: Generated<number>;
  chain_id: number;
  token_address: string;
  /** The owner of the value. An authorization is identified by chain, token, authorizer and nonce. */
  authorizer: string;
  nonce: string;
  resource: string;
  /** The caller who presented it, as in `payment_challenges`. */
  principal: string;
  payment_id: string;
  currency: string;
  recipient: string;
  amount: string;
  valid_before: Millis;
  /**
   * - `reserved`: no facilitator has been asked to settle it. After a crash, rows in this state are released.
   * - `settling`: a facilitator may have received it; from here on only the chain decides the outcome.
   * - `settled`: `tx_hash` settled it, and is not final yet.
   * - `granted`: `tx_hash` is in `payments`.
   * - `refused`: it moved nothing and never will, or it moved an amount other than the price.
   */
  state: "reserved" | "settling" | "settled" | "granted" | "refused";
  reason: string | null;
  /** The end of the worker's lease; after a crash another worker takes over. */
  lease_until: Millis;
  /** A height of the chain before it was sent; null while `reserved`. */
  from_height: number | null;
  tx_hash: string | null;
  created_at: Millis;
  /** When to check the outcome on the chain, whether or not a caller waits; null once it is known. */
  due_at: Millis | null;
}

/** Resources for sale under /api/paid. */
export interface PaidResourcesTable {
  slug: string;
  /** The path that payments name. */
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

/** Resources delisted within the last two days: people who have paid for one still get it. */
export interface RemovedPaidResourcesTable
  extends Pick<
    PaidResourcesTable,
    "path" | "description" | "media_type" | "amount" | "currency" | "chain_id" | "body"
  > {
  id: Generated<number>;
  removed_at: Millis;
}

export const dataClasses: DataClasses = {
  payment_challenges: {
    erased: {
      delete: "principal",
      keep: `payment_id resource chain chain_id currency token_address recipient amount created_at expires_at used_by price
      revealed_at`,
    },
  },
  payments: {
    erased: {
      null: "payer refetch_hash",
      keep: `id chain chain_id tx_hash resource principal state reason lease_until payment_id currency recipient price
      amount block_hash created_at granted_at due_at binding`,
    },
  },
  payment_settlements: {
    erased: {
      delete: "principal",
      keep: `id chain_id token_address authorizer nonce resource payment_id currency recipient amount valid_before state
      reason lease_until from_height tx_hash created_at due_at`,
    },
  },
  paid_resources: {
    erased: {
      label: "created_by",
      keep: "slug path description media_type body size_bytes amount currency chain chain_id created_at",
    },
  },
  removed_paid_resources: {
    erased: { keep: "id path description media_type amount currency chain_id removed_at body" },
  },
};
