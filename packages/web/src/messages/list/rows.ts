import type { ChatMessage } from "@parley/protocol/models";
import type { GrowingMessage } from "../../model/growing/growing-message.ts";
import type { PendingMessage } from "../../model/pending-message.ts";
import { senderOf } from "../../model/sender.ts";

/** A row of the conversation: the channel's beginning, a message, or a message being sent. */
export type Row =
  | { key: "start"; kind: "start" }
  | {
      key: string;
      kind: "message";
      message: ChatMessage;
      /** Grouped under the sender's name of the message before it. */
      isContinued: boolean;
      /** The first message of a day. */
      startsDay: boolean;
      /** The first unread message. */
      startsNew: boolean;
    }
  | {
      key: string;
      /** A message that an agent is writing. */
      kind: "growing";
      message: ChatMessage;
      status: string | null;
      isContinued: false;
      startsDay: false;
      startsNew: false;
    }
  | { key: string; kind: "sending"; sending: PendingMessage };

/** Messages of one sender within this time are grouped under one name. */
const TOGETHER_MS = 5 * 60_000;

const dayOf = (message: ChatMessage): string => new Date(message.created_at).toDateString();

function continues(message: ChatMessage, before: ChatMessage): boolean {
  return (
    message.reply_to_id === null &&
    // Its head is there while it grows.
    message.stream_id === undefined &&
    // The line of a thread separates them.
    message.thread_root_id === before.thread_root_id &&
    (before.thread?.reply_count ?? 0) === 0 &&
    senderOf(message) === senderOf(before) &&
    message.sender_type === before.sender_type &&
    message.type !== "red_packet" &&
    Date.parse(message.created_at) - Date.parse(before.created_at) < TOGETHER_MS
  );
}

/** A message that was streamed keeps the row in which it has grown. */
const keyOf = ({ id, stream_id }: ChatMessage): string => (stream_id === undefined ? `m${id}` : `g${stream_id}`);

export interface RowsOf {
  messages: readonly ChatMessage[];
  sending: readonly PendingMessage[];
  /** Those to show at the end. */
  growing: readonly GrowingMessage[];
  hasOlder: boolean;
  /** Messages after it are marked as new; null: none are. */
  newAfterSeq: number | null;
  self: string | null;
}

/** Builds the rows of the conversation. Rows from `before` whose messages have not changed are returned as the same objects. */
export function rowsOf(
  { messages, sending, growing, hasOlder, newAfterSeq, self }: RowsOf,
  before: ReadonlyMap<string, Row> = new Map(),
): Row[] {
  const rows: Row[] = hasOlder ? [] : [{ key: "start", kind: "start" }];
  let last: ChatMessage | undefined;
  let isMarked = newAfterSeq === null;
  for (const message of messages) {
    const startsDay = last === undefined || dayOf(message) !== dayOf(last);
    // The user's own messages are never new.
    const startsNew = !isMarked && message.seq > (newAfterSeq ?? 0) && message.username !== self && !message.is_deleted;
    if (startsNew) isMarked = true;
    const isContinued = last !== undefined && !startsDay && !startsNew && continues(message, last);
    const key = keyOf(message);
    const old = before.get(key);
    const isSame =
      old?.kind === "message" &&
      old.message === message &&
      old.isContinued === isContinued &&
      old.startsDay === startsDay &&
      old.startsNew === startsNew;
    rows.push(isSame ? old : { key, kind: "message", message, isContinued, startsDay, startsNew });
    last = message;
  }
  const done = growing.length === 0 ? null : new Set(messages.slice(-50).map(({ stream_id }) => stream_id));
  for (const { streamId, message, status } of growing) {
    if (done?.has(streamId) === true) continue;
    rows.push({
      key: keyOf(message),
      kind: "growing",
      message,
      status,
      isContinued: false,
      startsDay: false,
      startsNew: false,
    });
  }
  // A message that has arrived is no longer pending, whichever of event and response is first.
  const came = sending.length === 0 ? null : new Set(messages.slice(-50).map(({ client_msg_id }) => client_msg_id));
  for (const each of sending)
    if (came?.has(each.key) === false) rows.push({ key: `s${each.key}`, kind: "sending", sending: each });
  return rows;
}
