import type { MessageRow } from "../../event-log/message-json.ts";
import type { NewMessage } from "../../event-log/rows.ts";
import type { Mentioned } from "../mentions/resolve-mentions.ts";

/** A message that has passed every check and waits for its seq. */
export interface Draft extends Omit<NewMessage, "seq" | "created_at"> {
  channelSlug: string;
  /** True in a direct conversation. */
  isDirect: boolean;
  /** The recipients of its mentions; the agents' pending mentions are committed with the message. */
  mentioned: Mentioned;
  /** Refuse with `context_stale` if others have posted since this seq. */
  expectedLastSeq: number | null;
}

/** A message after its commit. */
export interface Appended {
  row: MessageRow;
  json: string;
  mentioned: Mentioned;
  isDirect: boolean;
  /** True if an earlier message had this `client_msg_id`. */
  deduplicated: boolean;
}

/** Returns the row to insert, without its id. */
export function newRow(draft: Draft, seq: number, at: number): MessageRow {
  return {
    id: 0,
    channel_id: draft.channel_id,
    seq,
    type: draft.type,
    content: draft.content,
    sender_type: draft.sender_type,
    user_id: draft.user_id,
    agent_id: draft.agent_id,
    sender_name: draft.sender_name,
    client_msg_id: draft.client_msg_id,
    client_key: draft.client_key,
    client_hash: draft.client_hash,
    reply_to_id: draft.reply_to_id,
    mentions: draft.mentions,
    sticker_id: draft.sticker_id,
    sticker: draft.sticker,
    packet_id: draft.packet_id,
    reactions: null,
    pinned_at: null,
    pinned_by: null,
    edited_at: null,
    deleted_at: null,
    created_at: at,
  };
}
