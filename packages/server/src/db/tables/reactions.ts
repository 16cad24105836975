import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";

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
