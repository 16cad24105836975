import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Messages that agents write piece by piece (protocol §12.7). */
export interface StreamsTable {
  id: Generated<number>;
  agent_id: number;
  /** The key that appended last: the stream ends with it. */
  key_id: string;
  channel_id: number;
  agent_name: string;
  client_msg_id: string;
  reply_to_id: number | null;
  thread_root_id: number | null;
  also_in_channel: number;
  state: "open" | "finished" | "cancelled";
  /** The text so far; empty once the stream has ended. */
  content: string;
  /** The length of `content` in UTF-16 units, which neither database counts. */
  length: number;
  status: string | null;
  /** The agent's acts, as JSON; null: there are none, or the stream has ended. */
  activity: Generated<string | null>;
  message_id: number | null;
  finish_reason: "finished" | "interrupted" | "stopped" | null;
  created_at: Millis;
  appended_at: Millis;
  ended_at: Millis | null;
}

/** The tables of streams, a part of `Tables`. */
export interface StreamTables {
  streams: StreamsTable;
}

export const dataClasses: DataClasses = {
  streams: {
    erased: {
      keep: `id agent_id key_id channel_id agent_name client_msg_id reply_to_id thread_root_id also_in_channel state
      content length status activity message_id finish_reason created_at appended_at ended_at`,
    },
    purged: "delete",
  },
};
