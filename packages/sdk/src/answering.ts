import type { PendingMention } from "@parley/protocol/models";
import type { StartFields } from "./answer-stream.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import { type MessageItem, threadOf } from "./inbox-reader.ts";

/** Returns where an answer belongs, with a key by which it is sent once. */
export function answering(to: PendingMention | MessageItem, part: number) {
  // A mention has one number, in the inbox and among the mentions.
  const [number, reply_to_id] = "mention_id" in to ? [to.mention_id, to.message_id] : [to.item_id, to.chat_message.id];
  return { channel_slug: to.channel_slug, reply_to_id, ...threadOf(to), client_msg_id: `reply-${number}-${part}` };
}

/** Returns the fields of a stream's start: in a channel, or as an answer. */
export const answerStart = (to: string | PendingMention | MessageItem, part: number, fields: StartFields) =>
  typeof to === "string"
    ? { ...fields, channel_slug: to, client_msg_id: fields.client_msg_id ?? newIdempotencyKey() }
    : { ...fields, ...answering(to, part) };
