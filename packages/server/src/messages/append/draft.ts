import { createHash } from "node:crypto";
import type { UsageReport } from "@parley/protocol/budgets";
import type { FileRecord } from "@parley/protocol/files";
import type { Channel } from "../../channels/channel.ts";
import type { Act, AppContext } from "../../context.ts";
import type { AppError } from "../../errors.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import type { NewMessage } from "../../event-log/rows.ts";
import type { Question, SentCard } from "../cards/sending.ts";
import { type Mentioned, NOBODY } from "../mentions/resolve-mentions.ts";

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
  /** True if `card` is what a bot shows for machines (`menus/markup.ts`). Absent in nearly all. */
  isMarkup?: true;
  /** Stores what a feature needs besides the message (`SentCard`). Absent in nearly all. */
  store?: SentCard["store"];
  /** The question of its card, stored with the message. */
  question: Question | null;
  /** Two sends with the same text carry the same card. */
  cardFingerprint: string | null;
  /** The step of a feature above in the transaction of this message, which is then stored alone. Nearly all have none. */
  step?: Step;
  /** True if a reply is stored also while its thread is locked. */
  mayReplyLocked: boolean;
}

/** How a draft is stored; `roadOf` decides. */
export type Road = "statement" | "transaction" | "alone";

/**
 * Returns how a draft is stored: with others in one statement, as nearly all are; with others in a transaction, because
 * it depends on what is stored (steps.ts); or alone, because the messages ahead of it in its batch would count as posted
 * by others, or because a file that is refused must refuse no other message.
 */
export function roadOf({ expectedLastSeq, files, thread_root_id, counted, card, isGuarded, step }: Draft): Road {
  if (expectedLastSeq !== null || files !== null || step !== undefined) return "alone";
  const isPlain = thread_root_id === null && counted === undefined && card === null && isGuarded !== true;
  return isPlain ? "statement" : "transaction";
}

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

/** The parts in which messages differ. A part that is absent is as in a plain text. */
export interface MessageParts
  extends Partial<Omit<Draft, "channel_id" | "channelSlug" | "isDirect" | "mentions" | "client_hash">> {
  channel: Pick<Channel, "id" | "slug" | "direct">;
  content: string;
  sender_type: Draft["sender_type"];
  sender_name: string;
}

/** Returns the message to store, of parts that were checked. */
export function messageOf(parts: MessageParts): Draft {
  const { channel, mentioned = NOBODY, act, counted } = parts;
  const draft: Draft = {
    channel_id: channel.id,
    channelSlug: channel.slug,
    isDirect: channel.direct !== null,
    type: parts.type ?? "text",
    content: parts.content,
    sender_type: parts.sender_type,
    user_id: parts.user_id ?? null,
    agent_id: parts.agent_id ?? null,
    sender_name: parts.sender_name,
    client_msg_id: parts.client_msg_id ?? null,
    client_key: parts.client_key ?? null,
    client_hash: null,
    reply_to_id: parts.reply_to_id ?? null,
    mentions: mentioned.mentions.length === 0 ? null : JSON.stringify(mentioned.mentions),
    mentioned,
    sticker_id: parts.sticker_id ?? null,
    sticker: parts.sticker ?? null,
    packet_id: parts.packet_id ?? null,
    thread_root_id: parts.thread_root_id ?? null,
    also_in_channel: parts.also_in_channel ?? 0,
    files: parts.files ?? null,
    expires_at: parts.expires_at ?? null,
    card: parts.card ?? null,
    question: parts.question ?? null,
    cardFingerprint: parts.cardFingerprint ?? null,
    webhook_id: parts.webhook_id ?? null,
    stream_id: parts.stream_id ?? null,
    previews: parts.previews ?? null,
    expectedLastSeq: parts.expectedLastSeq ?? null,
    mayReplyLocked: parts.mayReplyLocked === true,
  };
  if (counted !== undefined) draft.counted = counted;
  if (parts.isGuarded === true) draft.isGuarded = true;
  if (parts.isMarkup === true) draft.isMarkup = true;
  if (parts.store !== undefined) draft.store = parts.store;
  if (parts.step !== undefined) draft.step = parts.step;
  if (act !== undefined) draft.act = act;
  draft.client_hash = fingerprint(draft);
  return draft;
}

/** Hashes the fields that make two sends identical. Only sends with a key pay for it. */
function fingerprint(draft: Draft): string | null {
  if (draft.client_key === null) return null;
  return createHash("sha256")
    .update(
      JSON.stringify([
        draft.channel_id,
        draft.type,
        draft.content,
        draft.sender_name,
        draft.reply_to_id,
        draft.sticker_id,
        ...attached(draft),
      ]),
    )
    .digest("base64");
}

/** Returns what few messages have. A message without it has the same fingerprint as in releases that did not know it. */
function attached({ thread_root_id, also_in_channel, files, expires_at, cardFingerprint }: Draft): unknown[] {
  const card = cardFingerprint == null ? [] : [cardFingerprint];
  if (thread_root_id === null && files === null && expires_at === null) return card;
  return [thread_root_id, also_in_channel, fileIdsOf(files), expires_at !== null, ...card];
}

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

/**
 * Returns the row to insert, without its id. Throws for a call of everybody that nobody has counted, so that no way to
 * send forgets the rules of `@here`.
 */
export function newRow(draft: Draft, seq: number, at: number): MessageRow {
  if (draft.mentioned.callsHere?.isCounted === false) throw new Error("A message calls `@here` without `storeCalls`.");
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
    previews: draft.previews,
    thread: null,
    reactions: null,
    pinned_at: null,
    pinned_by: null,
    pinned_agent_id: null,
    edited_at: null,
    deleted_at: null,
    created_at: at,
  };
}

/** Returns the ids of the files that a message carries, in their order. */
export const fileIdsOf = (files: string | null): number[] =>
  files === null ? [] : (JSON.parse(files) as FileRecord[]).map(({ file_id }) => file_id);

/** Begins a step of a batch that is stored in a transaction (`roadOf`). */
export interface Step {
  /**
   * Locks what the step needs before any channel is locked, on behalf of the drafts that may be stored. Returns null if
   * none of them needs the step.
   */
  open(ctx: AppContext, drafts: readonly Draft[]): Promise<OpenStep | null>;
}

/** A step during the transaction of a batch: it does what some messages need besides their rows. */
export interface OpenStep {
  /** Reads what decides about the drafts of one channel, whose row is locked. */
  enter?(ctx: AppContext, channelId: number, drafts: readonly Draft[]): Promise<void>;
  /** Returns why the draft can't be stored, or null. Drafts are asked in their order. */
  refusal?(draft: Draft): AppError | null;
  /** Counts a draft that will be stored. */
  note?(draft: Draft): void;
  /** Writes what belongs to the messages that were stored. */
  write?(ctx: AppContext, stored: readonly StoredDraft[]): Promise<void>;
}

/** A draft with its message. */
export interface StoredDraft {
  draft: Draft;
  answer: Appended;
}
