import type { UsageReport } from "@parley/protocol/budgets";
import type { FileRecord } from "@parley/protocol/files";
import type { Act } from "../../context.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import type { NewMessage } from "../../event-log/rows.ts";
import type { Question } from "../cards/sending.ts";
import type { Mentioned } from "../mentions/resolve-mentions.ts";

/** A message that has passed every check and waits for its seq. */
export interface Draft extends Omit<NewMessage, "seq" | "created_at"> {
  channelSlug: string;
  /** True in a direct conversation. */
  isDirect: boolean;
  /** Those whom it notifies; the items of agents are committed with the message. */
  mentioned: Mentioned;
  /** Refuse with `context_stale` if others have posted since this seq. */
  expectedLastSeq: number | null;
  /** The act whose caller must still have the right to post when the message is stored. Incoming webhooks have none. */
  act?: Act;
  /** Of an agent whose spending is counted (protocol §12.8). Absent in nearly all. */
  counted?: { agentId: number; usage: UsageReport | null };
  /** Of an agent in a channel where others may speak: the loop guard decides under the channel's lock. */
  isGuarded?: boolean;
  /** The question of its card, stored with the message. */
  question?: Question | null;
  /** Two sends with the same text carry the same card. */
  cardFingerprint?: string | null;
  /** True if a reply is stored also while its thread is locked. */
  mayReplyLocked?: boolean;
}

/**
 * False for a draft that depends on the newest messages, on the root of its thread, on files that no other message may
 * take, or on what is left of its agent's budgets or turns, or whose card asks something: it needs a transaction.
 */
export const isPlain = ({ expectedLastSeq, thread_root_id, files, counted, card, isGuarded }: Draft): boolean =>
  expectedLastSeq === null &&
  thread_root_id === null &&
  files === null &&
  counted === undefined &&
  card === null &&
  isGuarded !== true;

/** A message after its commit. */
export interface Appended {
  row: MessageRow;
  channelSlug: string;
  json: string;
  mentioned: Mentioned;
  /** The ids of the items of `mentioned.agents`, in their order. */
  itemIds: readonly number[];
  isDirect: boolean;
  /** True if an earlier message had this `client_msg_id`. */
  deduplicated: boolean;
  /** Of a reply: the message that began its thread, after the commit. */
  root?: ThreadRoot;
}

/** A message that began a thread. */
export type ThreadRoot = Pick<MessageRow, "id" | "thread">;

/** Returns the answer to a draft whose row has its numbers. The ids of its items follow. */
export const appended = (row: MessageRow, { mentioned, isDirect, channelSlug }: Draft): Appended => ({
  row,
  channelSlug,
  json: recordJson(row, channelSlug),
  mentioned,
  itemIds: [],
  isDirect,
  deduplicated: false,
});

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
    thread_root_id: draft.thread_root_id,
    also_in_channel: draft.also_in_channel,
    files: draft.files,
    expires_at: draft.expires_at,
    card: draft.card,
    webhook_id: draft.webhook_id,
    stream_id: draft.stream_id,
    thread: null,
    reactions: null,
    pinned_at: null,
    pinned_by: null,
    edited_at: null,
    deleted_at: null,
    created_at: at,
  };
}

/** Returns the ids of the files that a message carries, in their order. */
export const fileIdsOf = (files: string | null): number[] =>
  files === null ? [] : (JSON.parse(files) as FileRecord[]).map(({ file_id }) => file_id);
