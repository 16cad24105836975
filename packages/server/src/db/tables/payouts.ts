import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/**
 * The state of a payout; each state is stored before the next step (protocol §6).
 * - `queued`: it is owed. Nothing was signed, or nothing that was signed can reach the chain any more.
 * - `numbered`: it has a nonce (EVM). Nothing was signed with it.
 * - `signed`: bytes are stored, and may have been sent.
 * - `sent`: a server of the chain has accepted them.
 * - `included`: in a block that a reorganisation may still remove.
 * - `settled`: paid, for good. `failed`: not paid, and nothing that was signed can still pay it.
 */
export type PayoutState = "queued" | "numbered" | "signed" | "sent" | "included" | "settled" | "failed";

/** Why a payout does not continue by itself; shown to the operator. */
export type PayoutHold =
  | "transfer_cap"
  | "daily_cap"
  | "gas_budget"
  | "fee_too_high"
  | "insufficient_funds"
  | "would_fail"
  | "not_in_ledger"
  /** Its fee was raised as often as allowed, and it still waits. */
  | "stuck"
  /** It can apparently never be included; checked twice before it is signed again. */
  | "lapsing"
  /** A wallet other than the current one signed it: restore that wallet's key. */
  | "other_wallet"
  /** The settings no longer name its currency. */
  | "no_asset";

/** Transfers that the platform owes (protocol §6). One row is at most one transfer on a chain. */
export interface PayoutsTable {
  id: Generated<number>;
  /** Identifies what is paid; unique for ever. */
  key: string;
  /** `gap`: an empty transfer to the treasury itself, which uses up a nonce that later ones wait for. */
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
  /** The paying wallet, and its nonce; null before they are assigned, and where there are none. */
  payer: string | null;
  nonce: number | null;
  /** The number of restarts: attempts of earlier rounds can never reach the chain. */
  round: number;
  /** How often the chain reported that it would fail. */
  refusals: number;
  /** The hash of the attempt that counts: the newest, or the one in a block. */
  hash: string | null;
  /** The fee paid, in the native coin's smallest unit; null until it is final. */
  fee_paid: string | null;
  /** The UTC day whose cap it counts against, `2026-11-21`; null until it is first started. */
  day: string | null;
  /** When it is checked next. */
  due_at: Millis;
  created_at: Millis;
  updated_at: Millis;
  /** When it was settled or failed. */
  ended_at: Millis | null;
}

/**
 * Signed transfers. All attempts in one round of a payout share nonce, recipient and amount, so at most one of them can
 * be included.
 */
export interface PayoutAttemptsTable {
  id: Generated<number>;
  payout_id: number;
  round: number;
  payer: string;
  nonce: number | null;
  /** The bytes to send. Stored before they are sent. */
  bytes: string;
  hash: string;
  /** The highest possible fee. */
  fee: string;
  valid_until: string | null;
  /** `dead`: it is not on the chain and never will be, or it failed there for good. */
  state: "live" | "settled" | "dead";
  created_at: Millis;
}

/** One row: the server that makes the payouts, and whether they are paused. */
export interface PayoutLeaseTable {
  id: 1;
  /** The server that makes them; null if none does. */
  holder: string | null;
  /** Fencing token: grows with every holder, and writes of earlier holders are rejected. */
  fence: number;
  until: Millis;
  stopped_at: Millis | null;
  stopped_by: string | null;
  /** The epoch it is for: after a restore, payouts pause until they are resumed. */
  epoch: string;
}

/** Payouts started and gas paid on a UTC day. */
export interface PayoutDaysTable {
  day: string;
  ledger_currency: string;
  amount: string;
  /** Native coin only. */
  gas: string;
}

export const dataClasses: DataClasses = {
  payouts: {
    erased: {
      payouts: "recipient",
      keep: `id key purpose chain chain_id currency token_address ledger_currency amount state hold payer nonce round
      refusals hash fee_paid day due_at created_at updated_at ended_at`,
    },
  },
  payout_attempts: {
    erased: { payouts: "bytes", keep: "id payout_id round payer nonce hash fee valid_until state created_at" },
  },
  payout_lease: { erased: { keep: "id holder fence until stopped_at stopped_by epoch" } },
  payout_days: { erased: { keep: "day ledger_currency amount gas" } },
};
