import type { Interaction } from "@parley/protocol/cards";
import type { FileRecord } from "@parley/protocol/files";
import type { Sticker } from "@parley/protocol/models";
import type { LinkPreview } from "@parley/protocol/previews";
import type { Selectable } from "kysely";
import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import type { MessagesTable } from "../db/tables/messages.ts";
import { frameOf } from "../realtime/frame-text.ts";
import { countsOf, recordsOf } from "./reaction-counts.ts";
import { type FeatureRecord, type StoredCard, storedCard } from "./stored-card.ts";
import { threadOf } from "./thread-summary.ts";

/** A message row as read from the store. */
export type MessageRow = Selectable<MessagesTable>;

/** A mention in a record: offset and length in UTF-16 units, from the `@` (protocol §4). */
export interface RecordMention {
  /** `here`: everybody who is online in the channel. */
  type: "user" | "agent" | "here";
  /** It is in a quote and notifies nobody. Stored before the name, so that a search for those who are notified skips it. */
  quoted?: true;
  name: string;
  offset: number;
  length: number;
}

/**
 * Serializes the wire record of a message (protocol §4) as JSON text, once for acks, frames and pages. It is
 * independent of the reader, so each reaction's `me` is false, and what a thread says about its reader null;
 * `messages/own-fields.ts` adds a caller's own.
 */
export function recordJson(row: MessageRow, channelSlug: string): string {
  const deleted = row.deleted_at !== null;
  const card = storedCard(row);
  return JSON.stringify({
    id: row.id,
    channel_id: row.channel_id,
    channel_slug: channelSlug,
    seq: row.seq,
    type: row.type,
    content: deleted ? "" : row.content,
    sender_type: row.webhook_id === null ? row.sender_type : "webhook",
    username: row.sender_type === "user" ? row.sender_name : null,
    agent_name: row.sender_type === "agent" ? row.sender_name : null,
    agent_id: row.agent_id,
    client_msg_id: row.client_msg_id,
    reply_to_id: row.reply_to_id,
    mentions: deleted || row.mentions === null ? [] : (JSON.parse(row.mentions) as RecordMention[]),
    sticker: deleted || row.sticker === null ? null : (JSON.parse(row.sticker) as Sticker),
    packet_id: row.packet_id,
    thread_root_id: row.thread_root_id,
    also_in_channel: row.also_in_channel === 1,
    thread: threadOf(row.thread),
    files: deleted || row.files === null ? [] : (JSON.parse(row.files) as FileRecord[]),
    reactions: deleted || row.reactions === null ? [] : recordsOf(countsOf(row.reactions)),
    is_pinned: row.pinned_at !== null,
    pinned_at: isoTimeOrNull(row.pinned_at),
    pinned_by: row.pinned_by,
    edited_at: isoTimeOrNull(row.edited_at),
    is_deleted: deleted,
    expires_at: isoTimeOrNull(row.expires_at),
    created_at: isoTime(row.created_at),
    ...(deleted || card === null ? undefined : cardFieldsOf(row.id, card)),
    ...(deleted || !row.previews ? undefined : { previews: previewsOf(row) }),
    ...(row.webhook_id === null ? {} : { webhook_name: row.sender_name }),
    ...(row.stream_id === null ? undefined : { stream_id: row.stream_id }),
    ...(row.pinned_agent_id === null ? undefined : { pinned_by_agent_id: row.pinned_agent_id }),
  });
}

/** Returns the previews that a message shows; none while they have yet to be made. */
export const previewsOf = ({ deleted_at, previews }: Pick<MessageRow, "deleted_at" | "previews">): LinkPreview[] =>
  deleted_at !== null || !previews ? [] : (JSON.parse(previews) as LinkPreview[]);

/** Returns a record with another `thread`, as JSON. */
export const withThread = (recordText: string, threadText: string): string =>
  JSON.stringify({ ...(JSON.parse(recordText) as object), thread: JSON.parse(threadText) as unknown });

/** True for a reply that only its thread shows, not the channel (protocol §13.1). */
export const isHidden = (row: Pick<MessageRow, "thread_root_id" | "also_in_channel">): boolean =>
  row.thread_root_id !== null && row.also_in_channel === 0;

/**
 * Builds the frame of a durable event. `fields` are what the event adds to `channel_id` and `seq`, as JSON without
 * braces.
 */
export function eventFrame(
  event: string,
  channelId: number,
  seq: number,
  fields: string,
  messageJson: string | undefined,
): string {
  const added = fields === "" ? "" : `,${fields}`;
  const message = messageJson === undefined ? "" : `,"chat_message":${messageJson}`;
  return frameOf(event, `{"channel_id":${channelId},"seq":${seq}${added}${message}}`);
}

/** Events whose frame carries the message in its current state. */
export const CARRIES_MESSAGE: ReadonlySet<string> = new Set(["message:new", "message:update"]);

/** Returns what a message of a feature shows; undefined: it is of none, or is deleted. */
export const featureOf = (row: Pick<MessageRow, "deleted_at" | "card">): FeatureRecord | undefined =>
  row.deleted_at === null ? storedCard(row)?.feature : undefined;

/** Returns what a feature adds to the record of its message. */
export const featureFields = (messageId: number, { name, record }: FeatureRecord): Record<string, object> => ({
  [name]: { [`${name}_id`]: messageId, ...record },
});

/** The fields that a card adds to the record of its message. */
type CardOfRecord = Omit<StoredCard, "interaction" | "feature"> & { interaction?: Interaction; type?: string };

/** Returns what a card adds to the record of its message. */
function cardFieldsOf(messageId: number, card: StoredCard): CardOfRecord {
  const { interaction, feature, ...shown } = card;
  if (feature !== undefined) return { ...shown, type: feature.name, ...featureFields(messageId, feature) };
  if (interaction === undefined) return shown;
  return { ...shown, interaction: { interaction_id: messageId, message_id: messageId, ...interaction } };
}
