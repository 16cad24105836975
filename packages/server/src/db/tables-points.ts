import type { Generated } from "kysely";
import type { Flag, Millis } from "./tables.ts";

/** A movement of value: the entries that carry its id sum to zero (protocol §6). Append-only, held by a trigger. */
export interface LedgerTransfersTable {
  id: Generated<number>;
  /** Names what is paid for, such as `invite:17`; unique, so it is paid once. */
  key: string;
  /** Why: `grant`, `invite`, `messages`, `online`, `like`, … */
  kind: string;
  created_at: Millis;
}

/**
 * One account's part in a transfer. Append-only, held by a trigger. The entries of an account and currency are a chain, which begins at what
 * the balance names as its last: so a statement is read without an index by account, whose pages a batch of claims would have to write.
 */
export interface LedgerEntriesTable {
  /** The transfer's number times `LEGS_MAX` (points/transfer.ts), and the leg's place in it. */
  id: number;
  transfer_id: number;
  /** `user:<id>`, `packet:<id>`, … and `system:…`, where value comes from and goes to. */
  account: string;
  currency: string;
  /** Decimal text in the smallest unit, with `-` for what leaves the account. */
  amount: string;
  /** What the account has after it, decimal text. null for system accounts, which have no balance. */
  balance: string | null;
  /** The entry before it of this account and currency. null: there is none, or no balance. */
  previous_id: number | null;
}

/** What an ordinary account has: the sum of its entries, kept so that it can be read and checked at once. Never below zero. */
export interface LedgerBalancesTable {
  account: string;
  currency: string;
  /** Decimal text. */
  balance: string;
  /** The entry that moved it last. null inside the transaction of the first. */
  last_id: number | null;
}

/** What a user has done that counts (protocol §2). No row: nothing yet. */
export interface HonorTable {
  user_id: number;
  /** Points ever earned by activity. */
  total_points: number;
  /** Messages sent, as far as the follower `activity` has come. */
  message_count: number;
  /** Time online, as far as it is counted. */
  online_ms: number;
  /** Up to when `online_ms` is counted, on whichever node; null: never. */
  counted_until: Millis | null;
}

/**
 * Earnings of a user in one UTC day, for the daily limits (protocol §2). Points where `giver_id` is 0; else paid likes from that user.
 * Rows older than the day before are removed when the user earns again.
 */
export interface DailyEarningsTable {
  user_id: number;
  /** Days since 1970-01-01. */
  day: number;
  source: "like" | "messages" | "online";
  giver_id: number;
  amount: number;
}

/** An invitation that production pays once the invited account is a day old and has written on two UTC days; removed when it is settled. */
export interface PendingInvitationsTable {
  /** The invited user. */
  user_id: number;
  inviter_id: number;
  /** When the invited account is a day old. */
  due_at: Millis;
  /** The first UTC day with a message, in days since 1970-01-01; null: there is none yet. */
  first_day: number | null;
  /** There is a message on another day. */
  wrote_again: Flag;
}
