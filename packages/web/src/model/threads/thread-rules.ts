import { THREAD_PARTICIPANTS_MAX, UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import type { ChatMessage } from "@parley/protocol/models";
import type { Thread } from "@parley/protocol/threads";
import { senderOf } from "../sender.ts";

type Reply = Pick<ChatMessage, "thread_root_id" | "also_in_channel">;

/** True if the channel does not show the message: it is a reply in a thread, and not sent to the channel, too. */
export const isOnlyInThread = ({ thread_root_id, also_in_channel }: Reply): boolean =>
  thread_root_id !== null && !also_in_channel;

/** True if a conversation shows the message. `rootId`: of the thread; null: the conversation is the channel. */
export function isShownIn(
  rootId: number | null,
  message: Pick<ChatMessage, "id" | "thread_root_id" | "also_in_channel">,
) {
  return rootId === null ? !isOnlyInThread(message) : message.id === rootId || message.thread_root_id === rootId;
}

/** Returns a thread as the server tells it, with what only this user's page knows: events are the same for all readers. */
export function toldThread(known: Thread | null, told: Thread | null): Thread | null {
  if (told === null || told.following !== null) return told;
  return { ...told, following: known?.following ?? null, unread_count: known?.unread_count ?? null };
}

/**
 * Returns the thread of a message after a new reply. A reply that it has counted already changes nothing. `self`: the
 * user's name; users follow a thread that they began, reply in, or are mentioned in.
 */
export function threadAfter(root: ChatMessage, reply: ChatMessage, self: string | null): Thread {
  const known = root.thread ?? { ...NO_REPLIES, following: self === null ? null : root.username === self };
  if ((known.last_reply_seq ?? 0) >= reply.seq) return known;
  const isOwn = self !== null && reply.username === self;
  const following = self !== null && (isOwn || isNamed(reply, self)) ? true : known.following;
  const isUnread = following === true && !isOwn;
  return {
    ...known,
    reply_count: known.reply_count + 1,
    last_reply_at: reply.created_at,
    last_reply_seq: reply.seq,
    participants: withFirst(known.participants, reply),
    following,
    unread_count: isUnread ? Math.min(UNREAD_COUNT_MAX, (known.unread_count ?? 0) + 1) : known.unread_count,
  };
}

/** True if the message mentions the user. */
export const isNamed = ({ mentions }: Pick<ChatMessage, "mentions">, self: string): boolean =>
  mentions.some(({ type, name }) => type === "user" && name === self);

const NO_REPLIES: Thread = {
  reply_count: 0,
  last_reply_at: null,
  last_reply_seq: null,
  participants: [],
  is_locked: false,
  following: null,
  unread_count: null,
};

function withFirst(participants: Thread["participants"], reply: ChatMessage): Thread["participants"] {
  if (reply.sender_type === "system" || reply.sender_type === "webhook") return participants;
  const first = { kind: reply.sender_type, name: senderOf(reply) };
  const others = participants.filter(({ kind, name }) => kind !== first.kind || name !== first.name);
  return [first, ...others].slice(0, THREAD_PARTICIPANTS_MAX);
}

/** Returns the seq after which the last `unread` replies of others begin; null without any among these messages. */
export function unreadAfter(messages: readonly ChatMessage[], unread: number, self: string | null): number | null {
  const replies = messages.filter((each) => each.thread_root_id !== null && each.username !== self && !each.is_deleted);
  const first = unread > 0 ? replies.at(-Math.min(unread, replies.length)) : undefined;
  return first === undefined ? null : first.seq - 1;
}
