import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The polls (protocol §13.7). The question and the counts are in `messages.card`. */
export interface PollsTable {
  message_id: number;
  channel_id: number;
  /** null: it does not close by itself. */
  closes_at: Millis | null;
  /** null: it is open. */
  closed_at: Millis | null;
}

/** The votes: a row for each option that a person has chosen now. */
export interface PollVotesTable {
  id: Generated<number>;
  message_id: number;
  option_id: number;
  /** null: the account was erased. */
  user_id: number | null;
  created_at: Millis;
}

/** The tables of polls, a part of `Tables`. */
export interface PollTables {
  polls: PollsTable;
  poll_votes: PollVotesTable;
}

export const dataClasses: DataClasses = {
  polls: { erased: { keep: "message_id channel_id closes_at closed_at" }, purged: "delete" },
  poll_votes: { erased: { null: "user_id", keep: "id message_id option_id created_at" }, purged: "delete" },
};
