import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

export interface MessagesTable {
  id: Generated<number>;
  channel_id: number;
  seq: number;
  type: "text" | "sticker" | "red_packet" | "system";
  content: string;
  sender_type: "user" | "agent" | "system";
  user_id: number | null;
  agent_id: number | null;
  /** Username or agent name at the time of sending. */
  sender_name: string;
  client_msg_id: string | null;
  /** `u<user id>:<client_msg_id>` or `a<agent id>:…`: unique, so a key belongs to its sender and never expires. */
  client_key: string | null;
  /** Fingerprint of the body that came with `client_key`. */
  client_hash: string | null;
  reply_to_id: number | null;
  /** JSON array as on the wire; null if there are none. */
  mentions: string | null;
  sticker_id: number | null;
  /** The sticker's record (wire) as JSON; null if there is none, or the message is deleted. */
  sticker: string | null;
  packet_id: number | null;
  /** The message that began the thread of this reply; null in the channel itself. */
  thread_root_id: Generated<number | null>;
  /** 1: a reply in a thread that the channel shows, too. */
  also_in_channel: Generated<number>;
  /** JSON array of the files' records (wire) when it was sent; null if there are none, or the message is deleted. */
  files: Generated<string | null>;
  /** When the message disappears; null: it stays. */
  expires_at: Generated<Millis | null>;
  /** The stream that became this message; null for all others. */
  stream_id: Generated<number | null>;
  /** The incoming webhook that brought it; `sender_type` is then `system`, and `sender_name` the webhook's name. */
  webhook_id: Generated<number | null>;
  /** The card as JSON (event-log/message-json.ts); null if there is none, or the message is deleted. */
  card: Generated<string | null>;
  /**
   * JSON array of the previews (wire) of its links; null if there are none, or the message is deleted. Empty text: they
   * have yet to be made (previews/make-previews.ts).
   */
  previews: Generated<string | null>;
  /** What a message that began a thread says about it, as JSON (event-log/thread-summary.ts); null if it has none. */
  thread: Generated<string | null>;
  /** JSON array {reaction, count} in the order of first use; null if there are none. */
  reactions: string | null;
  pinned_at: Millis | null;
  pinned_by: string | null;
  /** The agent that pinned it; null: a user did, or nobody. */
  pinned_agent_id: Generated<number | null>;
  edited_at: Millis | null;
  deleted_at: Millis | null;
  created_at: Millis;
}

/** Whether a user follows a thread, and how far they have read it. No row: they have nothing to do with it. */
export interface ThreadFollowsTable {
  user_id: number;
  /** The message that began the thread. */
  root_id: number;
  channel_id: number;
  /** 0: the user no longer wants to follow it; only a reply of their own changes that. */
  is_following: number;
  /** Later replies of others are unread. */
  last_read_seq: number;
  /** As of `channel_members`. Null while the user does not follow the thread. */
  unread_from_seq: Generated<number | null>;
}

export const dataClasses: DataClasses = {
  messages: {
    erased: {
      null: "user_id client_msg_id client_key client_hash",
      label: "sender_name pinned_by",
      messages: "mentions sticker files thread card",
      reactions: "reactions",
      keep: `id channel_id seq type content sender_type agent_id reply_to_id sticker_id packet_id pinned_at edited_at
      deleted_at created_at thread_root_id also_in_channel expires_at webhook_id stream_id pinned_agent_id previews`,
    },
    purged: "delete",
  },
  thread_follows: {
    erased: { delete: "user_id", keep: "root_id channel_id is_following last_read_seq unread_from_seq" },
    purged: "delete",
  },
};
