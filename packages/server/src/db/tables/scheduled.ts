import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Messages that are sent later (protocol §13.6). Either `user_id` or `agent_id` is their sender. */
export interface ScheduledMessagesTable {
  id: Generated<number>;
  user_id: number | null;
  agent_id: number | null;
  /** The key with which the agent scheduled it: the message is sent with that key's rights. */
  key_id: string | null;
  agent_name: string | null;
  channel_id: number;
  content: string;
  reply_to_id: number | null;
  thread_root_id: number | null;
  also_in_channel: 0 | 1;
  /** 1: its links get no previews. */
  without_previews: Generated<1 | null>;
  /** JSON array of ids; null: none. */
  file_ids: string | null;
  send_at: Millis;
  /** `sending`: a node has begun to send it at `taken_at`. */
  status: "waiting" | "sending" | "sent" | "failed" | "cancelled";
  taken_at: Millis | null;
  /** It could not be sent, and is not tried again before this time; null: it was not tried. */
  retry_at: Millis | null;
  /** An error code, or `missed`. */
  failure: string | null;
  message_id: number | null;
  /** The sender and the `Idempotency-Key` of the request that made it; null: it had none. */
  request_key: string | null;
  /** The hash of that request's body, by which another one with the same key is refused. */
  request_hash: string | null;
  created_at: Millis;
  /** When it was sent, failed or was cancelled. */
  ended_at: Millis | null;
}

export const dataClasses: DataClasses = {
  scheduled_messages: {
    erased: {
      delete: "user_id agent_id",
      keep: "id key_id agent_name channel_id content reply_to_id thread_root_id also_in_channel without_previews file_ids send_at status taken_at retry_at failure message_id request_key request_hash created_at ended_at",
    },
    purged: "delete",
  },
};
