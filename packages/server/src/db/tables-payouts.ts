import type { Generated } from "kysely";
import type { Millis } from "./tables.ts";

/**
 * Where a payout stands; each is stored before what follows is done (protocol §6).
 * - `queued`: it is owed. Nothing was signed, or all that was signed can never reach the chain.
 * - `numbered`: it has a nonce (EVM). Nothing was signed with it.
 * - `signed`: bytes are stored; perhaps they were sent.
 * - `sent`: a server of the chain has taken them.
 * - `included`: in a block that a reorganisation may still remove.
 * - `settled`: paid, for good. `failed`: not paid, and nothing that was signed can pay it any more.
 */
export type PayoutState = "queued" | "numbered" | "signed" | "sent" | "included" | "settled" | "failed";

/** Why a payout does not go on by itself; shown to the operator. */
export type PayoutHold =
  | "transfer_cap"
  | "daily_cap"
  | "gas_budget"
  | "fee_too_high"
  | "insufficient_funds"
  | "would_fail"
  | "not_in_ledger"
  /** Its fee was raised as often as may be, and it still waits. */
  | "stuck"
  /** It seems that it can never be included any more; that is asked twice before it is signed anew. */
  | "lapsing"
  /** Another wallet than today's has signed it: give back its key. */
  | "other_wallet"
  /** The settings do not name its currency any more. */
  | "no_asset";

/** Transfers that the platform owes (protocol §6): one row is one transfer on a chain, at most. */
export interface PayoutsTable {
  id: Generated<number>;
  /** Names what is paid; unique, for ever. */
  key: string;
  /** `gap`: a transfer of nothing to the treasury itself, which uses up a nonce that later ones wait behind. */
  purpose: "claim" | "refund" | "gap";
  chain: "evm" | "solana";
  chain_id: number;
  currency: string;
  token_address: string | null;
  /** See `ledgerCurrency`. */
  ledger_currency: string;
  recipient: string;
  /** Decimal text in the smallest unit, as all amounts here. */
  amount: string;
  state: PayoutState;
  hold: PayoutHold | null;
  /** Which wallet pays, and with which nonce; null before, and where there are none. */
  payer: string | null;
  nonce: number | null;
  /** Counts the times it was begun anew: attempts of earlier rounds can never reach the chain. */
  round: number;
  /** The chain said so often that it would fail. */
  refusals: number;
  /** Of the attempt that counts: the newest, or the one that is in a block. */
  hash: string | null;
  /** What it did cost, in the native coin's smallest unit; null until it is final. */
  fee_paid: string | null;
  /** The UTC day whose cap it counts against, `2026-11-21`; null until it was first begun. */
  day: string | null;
  /** When it is looked at next. */
  due_at: Millis;
  created_at: Millis;
  updated_at: Millis;
  /** When it was settled or failed. */
  ended_at: Millis | null;
}

/** Signed transfers. All of one payout's round share a nonce, recipient and amount, so that at most one of them can be included. */
export interface PayoutAttemptsTable {
  id: Generated<number>;
  payout_id: number;
  round: number;
  payer: string;
  nonce: number | null;
  /** What is sent. Stored before it is. */
  bytes: string;
  hash: string;
  /** The most it can cost. */
  fee: string;
  valid_until: string | null;
  /** `dead`: it is not on the chain and never will be, or failed there, for good. */
  state: "live" | "settled" | "dead";
  created_at: Millis;
}

/** One row: who makes the payouts, and whether they are stopped. */
export interface PayoutLeaseTable {
  id: 1;
  /** The server that makes them; null: none. */
  holder: string | null;
  /** Grows with every holder. What an earlier one writes is refused. */
  fence: number;
  until: Millis;
  stopped_at: Millis | null;
  stopped_by: string | null;
  /** The incarnation of the data it is for: after a restore, payouts stand still until they are resumed. */
  epoch: string;
}

/** What was begun and what gas was paid on a UTC day. */
export interface PayoutDaysTable {
  day: string;
  ledger_currency: string;
  amount: string;
  /** Of the native coin only. */
  gas: string;
}
