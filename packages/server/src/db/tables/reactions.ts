import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Reactions to messages. `messages.reactions` counts these rows and changes in the same transaction. */
export interface ReactionsTable {
  message_id: number;
  actor_kind: "user" | "agent";
  /** User id or agent id. */
  actor_id: number;
  reaction: string;
  created_at: Millis;
}

/** Reports of messages. */
export interface ReportsTable {
  id: Generated<number>;
  message_id: number;
  channel_id: number;
  /** The user who wrote the message; null if an agent or the system did. */
  author_id: number | null;
  reporter_id: number;
  reason: string;
  /** A copy of the message's record as JSON: neither an edit nor a deletion hides it. */
  snapshot: string;
  status: "open" | "resolved" | "dismissed";
  /** Username of the moderator who closed it. */
  handled_by: string | null;
  handled_at: Millis | null;
  note: string | null;
  created_at: Millis;
}

export const dataClasses: DataClasses = {
  reactions: { erased: { delete: "actor_id", keep: "message_id actor_kind reaction created_at" }, purged: "delete" },
  reports: {
    erased: {
      label: "handled_by",
      reports: "snapshot",
      reasons: "reason",
      keep: "id message_id channel_id author_id reporter_id status handled_at note created_at",
    },
    purged: "keep",
  },
};
