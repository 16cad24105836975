import { type Static, Type } from "typebox";
import { LastReadSeq, UnreadCount, UnreadFromSeq } from "./models.ts";
import { Id, response, Seq } from "./values.ts";

/** How far the user has read a channel, in responses and in `channel:read` (protocol §3). */
export const channelReading = {
  channel_id: Id,
  last_read_seq: LastReadSeq,
  unread_from_seq: UnreadFromSeq,
  unread_count: UnreadCount,
  last_seq: Type.Integer({ ...Seq, description: "The channel's newest number when the unread messages were counted." }),
};

/** How far the user has read a thread, in responses and in `thread:read` (protocol §13.1). */
export const threadReading = {
  message_id: Id,
  last_read_seq: LastReadSeq,
  unread_from_seq: UnreadFromSeq,
  unread_count: UnreadCount,
};

/** POST /api/channels/:channel_id/unread, and POST /api/messages/:messageId/thread/unread. */
export const MarkUnreadBody = Type.Object({
  seq: Type.Integer({ ...Seq, minimum: 1, description: "The message from which on everything is unread." }),
});
export type MarkUnreadBody = Static<typeof MarkUnreadBody>;

const Changed = (what: string) => Type.Integer({ minimum: 0, description: `How many ${what} were unread.` });

/** Response of POST /api/read: what was marked (protocol §3). */
export const ReadAllResponse = response({
  channels: Changed("channels"),
  threads: Changed("threads"),
  notifications: Changed("notifications"),
});
export type ReadAllResponse = Static<typeof ReadAllResponse>;

/** The events of reading, a part of `EVENTS` (events.ts). */
export const READING_EVENTS = {
  "channel:read": {
    summary:
      "The user has read a channel up to here, or marked it as unread from a message, on any device. Sent to all sockets of the user.",
    data: Type.Object(channelReading),
    durable: false,
  },
  "thread:read": {
    summary:
      "The user has read a thread, marked it as unread from a reply, follows it, or no longer does, on any device. Sent to all sockets of the user.",
    data: Type.Object({ channel_id: Id, following: Type.Boolean(), ...threadReading }),
    durable: false,
  },
  "read:all": {
    summary:
      "The user has marked everything as read on any device. Read the lists of channels, threads and notifications again. Sent to all sockets of the user.",
    data: Type.Object({ unread: Type.Integer({ minimum: 0, description: "How many notifications are unread." }) }),
    durable: false,
  },
} as const;
