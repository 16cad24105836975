import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Reminders of messages (protocol §13.16). */
export interface RemindersTable {
  id: Generated<number>;
  user_id: number;
  message_id: number;
  channel_id: number;
  /** The user's own words; null: none. */
  note: string | null;
  remind_at: Millis;
  /** `ended`: when it was due, the user could not read the message any more. */
  status: "waiting" | "done" | "ended";
  created_at: Millis;
  /** When it was done or ended; null: it waits. */
  ended_at: Millis | null;
}

export const dataClasses: DataClasses = {
  reminders: {
    erased: { delete: "user_id", keep: "id message_id channel_id note remind_at status created_at ended_at" },
    // It has nothing of the channel but ids. When it is due, its user learns that it has ended.
    purged: "keep",
  },
};
