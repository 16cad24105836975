import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** A transfer of value: the entries with its id sum to zero (protocol §6). Append-only, enforced by a trigger. */
export interface LedgerTransfersTable {
  id: Generated<number>;
  /** Identifies what is paid for, such as `invite:17`; unique, so it is paid once. */
  key: string;
  /** The reason: `grant`, `invite`, `messages`, `online`, `like`, … */
  kind: string;
  created_at: Millis;
}

/**
 * One account's part in a transfer. Append-only, enforced by a trigger. The entries of an account and currency form a
 * linked list, which starts at the balance's `last_id`. So a statement needs no index by account, whose pages a batch
 * of claims would have to write.
 */
export interface LedgerEntriesTable {
  /** The transfer's id times `LEGS_MAX` (ledger/transfer.ts), plus the leg's position in it. */
  id: number;
  transfer_id: number;
  /** `user:<id>`, `packet:<id>`, … and `system:…`, the sources and sinks of value. */
  account: string;
  currency: string;
  /** Decimal text in the smallest unit, with `-` for value that leaves the account. */
  amount: string;
  /** The balance after it, decimal text; null for system accounts, which have none. */
  balance: string | null;
  /** The previous entry of this account and currency; null if there is none, or for system accounts. */
  previous_id: number | null;
}

/**
 * The balance of an ordinary account: the sum of its entries, stored so that it can be read and checked at once. Never
 * below zero.
 */
export interface LedgerBalancesTable {
  account: string;
  currency: string;
  /** Decimal text. */
  balance: string;
  /** The last entry that changed it; null inside the transaction of the first. */
  last_id: number | null;
}

/** A user's activity that counts (protocol §2). No row: none yet. */
export interface HonorTable {
  user_id: number;
  /** Points ever earned by activity. */
  total_points: number;
  /** Messages sent, as counted by the consumer `activity` so far. */
  message_count: number;
  /** Time online, counted so far. */
  online_ms: number;
  /** The time up to which `online_ms` is counted, on any node; null: never. */
  counted_until: Millis | null;
}

/**
 * A user's earnings in one UTC day, for the daily limits (protocol §2). Points if `giver_id` is 0; else paid likes from
 * that user. Rows older than the day before are deleted when the user earns again.
 */
export interface DailyEarningsTable {
  user_id: number;
  /** Days since 1970-01-01. */
  day: number;
  source: "like" | "messages" | "online";
  giver_id: number;
  amount: number;
}

/**
 * An invitation that production pays once the invited account is a day old and has written on two UTC days; deleted
 * when it is settled.
 */
export interface PendingInvitationsTable {
  /** The invited user. */
  user_id: number;
  inviter_id: number;
  /** When the invited account is a day old. */
  due_at: Millis;
  /** The first UTC day with a message, in days since 1970-01-01; null: there is none yet. */
  first_day: number | null;
  /** True if there is a message on another day. */
  wrote_again: Flag;
}

export const dataClasses: DataClasses = {
  ledger_transfers: { erased: { keep: "id key kind created_at" } },
  ledger_entries: { erased: { keep: "id transfer_id account currency amount balance previous_id" } },
  ledger_balances: { erased: { points: "balance last_id", keep: "account currency" } },
  honor: { erased: { points: "message_count online_ms", null: "counted_until", keep: "user_id total_points" } },
  daily_earnings: { erased: { delete: "user_id", keep: "day source giver_id amount" } },
  pending_invitations: { erased: { delete: "user_id inviter_id", keep: "due_at first_day wrote_again" } },
};
