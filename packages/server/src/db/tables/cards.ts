import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The questions of cards, by the id of their message. They outlive it. */
export interface InteractionsTable {
  message_id: number;
  channel_id: number;
  agent_id: number;
  /** The name under which the agent asked. */
  agent_name: string;
  kind: "approval" | "choice" | "open";
  /** JSON as on the wire. Its `users` are for readers; who may answer is in `interaction_users`. */
  who: string;
  quorum: number;
  status: "open" | "decided" | "expired" | "cancelled";
  expires_at: Millis;
  /** When the background job looks at it, while it is open. */
  due_at: Millis;
  /** Not null: it must be cancelled. */
  cancel_reason: "agent_gone" | "channel_deleted" | "message_deleted" | "withdrawn" | null;
  /** The press that decided. */
  result_press_id: number | null;
  /** All presses that counted. */
  press_count: number;
  decided_at: Millis | null;
  /** SHA-256 of the message's content and components, hex. */
  payload_hash: string;
  /** JSON of `key_id`, `signed` and `signature`. */
  receipt: string | null;
  created_at: Millis;
}

/** The users whom a card names. */
export interface InteractionUsersTable {
  message_id: number;
  user_id: number;
}

/** Presses that counted, in order. */
export interface InteractionPressesTable {
  id: Generated<number>;
  message_id: number;
  /** null: the account was erased. */
  user_id: number | null;
  action_id: string;
  /** The chosen value; empty: the button has none. */
  choice: string;
  created_at: Millis;
}

/** The keys that sign receipts. The one of the highest generation signs. */
export interface SigningKeysTable {
  generation: number;
  key_id: string;
  /** SPKI in DER, base64. */
  public_key: string;
  /** PKCS #8 in DER, base64. */
  private_key: string;
  created_at: Millis;
  retired_at: Millis | null;
}

export const dataClasses: DataClasses = {
  interactions: {
    erased: {
      null: "receipt",
      cards: "who",
      keep: `message_id channel_id agent_id agent_name kind quorum status expires_at due_at cancel_reason result_press_id
      press_count decided_at payload_hash created_at`,
    },
    purged: "keep",
  },
  interaction_users: { erased: { delete: "user_id", keep: "message_id" }, purged: "keep" },
  interaction_presses: {
    erased: { null: "user_id", keep: "id message_id action_id choice created_at" },
    purged: "keep",
  },
  signing_keys: { erased: { keep: "generation key_id public_key private_key created_at retired_at" } },
};
