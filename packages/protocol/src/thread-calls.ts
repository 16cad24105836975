import { type Static, Type } from "typebox";
import { HistoryResponse } from "./messages.ts";
import { ChatMessage, LastReadSeq, UnreadCount, UnreadFromSeq } from "./models.ts";
import { threadReading } from "./reading.ts";
import { Id, Limit, Nullable, response, Seq } from "./values.ts";

/** GET /api/messages/:messageId/thread: cursors as in the history; one at most (protocol §13.1). */
export const ThreadQuery = Type.Object({
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "A message's id: the page that ends before it." })),
  after: Type.Optional(Type.Integer({ ...Id, description: "A message's id: the page that starts after it." })),
  after_seq: Type.Optional(
    Type.Integer({ ...Seq, description: "A seq: the page that starts after it. 0 starts with the root." }),
  ),
});
export type ThreadQuery = Static<typeof ThreadQuery>;

/** Response of GET /api/messages/:messageId/thread, oldest to newest (protocol §13.1). */
export const ThreadResponse = Type.Object({
  ...HistoryResponse.properties,
  root: ChatMessage,
  last_read_seq: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 0, description: "How far the caller has read the thread; null unless they follow it." }),
    ),
  ),
  unread_from_seq: Type.Optional(UnreadFromSeq),
});
export type ThreadResponse = Static<typeof ThreadResponse>;

/** GET /api/threads: the threads that the caller follows (protocol §13.1). */
export const ThreadsQuery = Type.Object({
  unread: Type.Optional(Type.Boolean({ description: "Only threads with replies that the caller has not read." })),
  channel_id: Type.Optional(Id),
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "`next_before` of the page before." })),
});
export type ThreadsQuery = Static<typeof ThreadsQuery>;

/** Response of GET /api/threads: the thread with the newest reply first (protocol §13.1). */
export const ThreadsResponse = response({
  threads: Type.Array(
    Type.Object({
      root: ChatMessage,
      last_read_seq: LastReadSeq,
      unread_from_seq: UnreadFromSeq,
      unread_count: UnreadCount,
      last_reply: Nullable(ChatMessage),
    }),
  ),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type ThreadsResponse = Static<typeof ThreadsResponse>;

/** Response of PUT and DELETE /api/messages/:messageId/thread/follow (protocol §13.1). */
export const FollowThreadResponse = response({ message_id: Id, following: Type.Boolean() });
export type FollowThreadResponse = Static<typeof FollowThreadResponse>;

/** POST /api/messages/:messageId/thread/read (protocol §13.1). */
export const ReadThreadBody = Type.Object({
  seq: Type.Optional(
    Nullable(
      Type.Integer({ ...Seq, description: "The last reply read; default: the newest. The mark never moves back." }),
    ),
  ),
});
export type ReadThreadBody = Static<typeof ReadThreadBody>;

/** Response of POST /api/messages/:messageId/thread/read and …/thread/unread (protocol §13.1). */
export const ReadThreadResponse = response(threadReading);
export type ReadThreadResponse = Static<typeof ReadThreadResponse>;

/** PUT /api/messages/:messageId/thread (protocol §13.1). */
export const UpdateThreadBody = Type.Object({
  is_locked: Type.Boolean({ description: "Only the channel's admins may reply in a locked thread." }),
});
export type UpdateThreadBody = Static<typeof UpdateThreadBody>;

/** Response of PUT /api/messages/:messageId/thread: the root after the change (protocol §13.1). */
export const UpdateThreadResponse = response({ chat_message: ChatMessage });
export type UpdateThreadResponse = Static<typeof UpdateThreadResponse>;
