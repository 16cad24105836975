import { type Static, Type } from "typebox";
import { channelRef, SlugRef } from "./channels.ts";
import {
  CLIENT_MSG_ID_MAX,
  CONTENT_MAX,
  EXPIRES_IN_MAX,
  EXPIRES_IN_MIN,
  FILES_PER_MESSAGE,
  MESSAGES_ASKED_MAX,
} from "./limits.ts";
import { ChatMessage, Reaction } from "./models.ts";
import { LinkPreviewsWanted } from "./previews.ts";
import { MANY_MAX, MANY_MIN } from "./stream-limits.ts";
import {
  ActorKind,
  HumanText,
  Id,
  Limit,
  Nullable,
  Offset,
  PinnedByAgent,
  response,
  Seq,
  Timestamp,
} from "./values.ts";

/**
 * The text of a message, which may also be a sticker alone: at most 4,000 code points, which is what TypeBox counts.
 * Without a sticker the service rejects missing and blank text: `content_required` (protocol §4).
 */
export const SendContent = Type.String({
  maxLength: CONTENT_MAX,
  description: "1 to 4,000 characters; optional with a sticker.",
});

/** Any sticker that is not deleted, whoever made it. */
export const StickerId = Type.Integer({
  ...Id,
  description: "The id of any user's sticker. The message then has the type sticker.",
});

/** Makes a send idempotent: the same key and body return the first message again (protocol §0). */
export const ClientMsgId = Type.String({ minLength: 1, maxLength: CLIENT_MSG_ID_MAX });

/** The `invalid` of a body with `content`, for routes and commands (protocol §4). */
export const CONTENT_INVALID = { content: ["content_required", "message_too_long"] } as const;

/** Whether a page shows the replies in threads (protocol §13.1). */
export const ThreadsShown = Type.Enum(["inline", "collapse"], {
  description:
    "`collapse` leaves out the replies in threads that were not sent to the channel, too. A page may then be shorter than `limit`, or empty, although there are more: follow the cursor. `ids` shows every message.",
});

/** GET /api/messages. `channel_id` takes a slug too; one cursor at most (protocol §4). */
export const HistoryQuery = Type.Object({
  channel_id: Type.Optional(Type.Union([Id, Type.String({ minLength: 1 })], { description: "The id or the slug." })),
  channel_slug: Type.Optional(SlugRef),
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "A message's id: the page that ends before it." })),
  after: Type.Optional(Type.Integer({ ...Id, description: "A message's id: the page that starts after it." })),
  after_seq: Type.Optional(Type.Integer({ ...Seq, description: "A seq: the page that starts after it." })),
  since: Type.Optional(
    Type.String({
      ...Timestamp,
      description: "A time: the page that starts with the first message sent at that time or later.",
    }),
  ),
  around: Type.Optional(Type.Integer({ ...Id, description: "A message's id: the page with it in the middle." })),
  ids: Type.Optional(
    Type.String({
      pattern: `^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,${MESSAGES_ASKED_MAX - 1}}$`,
      description: `Up to ${MESSAGES_ASKED_MAX} message ids, separated by commas. Ids that are not in the channel are left out.`,
    }),
  ),
  threads: Type.Optional(ThreadsShown),
  format: Type.Optional(
    Type.Enum(["json", "plain"], { description: "`plain`: each `content` without the marks of Markdown." }),
  ),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

/** Response of GET /api/messages, oldest to newest. Ascending pages carry `next_after_seq` (protocol §4). */
export const HistoryResponse = response({
  channel_id: Id,
  messages: Type.Array(ChatMessage),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  next_after_seq: Type.Optional(Nullable(Seq)),
  last_seq: Seq,
  limit: Type.Integer({ minimum: 1 }),
});
export type HistoryResponse = Static<typeof HistoryResponse>;

/** Message fields set by the server: a request with one is refused (protocol §0). */
export const MESSAGE_READ_ONLY = ["id", "message_id", "seq"] as const;

/** What sends of users and agents have besides their text (protocol §4, §13). */
export const sendFields = {
  sticker_id: Type.Optional(Nullable(StickerId)),
  client_msg_id: Type.Optional(Nullable(ClientMsgId)),
  reply_to_id: Type.Optional(Nullable(Id)),
  thread_root_id: Type.Optional(
    Nullable(Type.Integer({ ...Id, description: "Replies in the thread of this message." })),
  ),
  also_in_channel: Type.Optional(
    Type.Boolean({ description: "With thread_root_id: the channel shows the reply, too." }),
  ),
  file_ids: Type.Optional(
    Type.Array(Id, {
      maxItems: FILES_PER_MESSAGE,
      uniqueItems: true,
      description: "Files of the sender that were not sent yet.",
    }),
  ),
  expires_in: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: EXPIRES_IN_MIN,
        maximum: EXPIRES_IN_MAX,
        description: "Seconds until the message disappears for everyone.",
      }),
    ),
  ),
  link_previews: Type.Optional(LinkPreviewsWanted),
};
const SendFields = Type.Object(sendFields);
export type SendFields = Static<typeof SendFields>;

/** POST /api/messages and the command `message:send` (protocol §4). */
export const SendMessageBody = Type.Object({
  ...channelRef,
  content: Type.Optional(SendContent),
  ...sendFields,
});
export type SendMessageBody = Static<typeof SendMessageBody>;

/** Response of POST /api/messages: 201, or 200 when deduplicated (protocol §4). */
export const SendMessageResponse = response({
  message_id: Id,
  seq: Type.Integer({ minimum: 1 }),
  deduplicated: Type.Boolean(),
  chat_message: ChatMessage,
});
export type SendMessageResponse = Static<typeof SendMessageResponse>;

/** POST /api/messages/send-many: a text that is too long for one message (protocol §4). */
export const SendMessagesBody = Type.Object({
  ...channelRef,
  messages: Type.Array(
    Type.Object({
      content: Type.String({ maxLength: CONTENT_MAX }),
      client_msg_id: sendFields.client_msg_id,
      reply_to_id: sendFields.reply_to_id,
    }),
    { minItems: MANY_MIN, maxItems: MANY_MAX },
  ),
  thread_root_id: sendFields.thread_root_id,
  also_in_channel: sendFields.also_in_channel,
  link_previews: sendFields.link_previews,
});
export type SendMessagesBody = Static<typeof SendMessagesBody>;

/** Response of POST /api/messages/send-many: 201, or 200 when all were sent before. */
export const SendMessagesResponse = response({
  channel_id: Id,
  channel_slug: Type.String(),
  messages: Type.Array(ChatMessage, { description: "In their order, with consecutive `seq`." }),
  deduplicated: Type.Boolean(),
});
export type SendMessagesResponse = Static<typeof SendMessagesResponse>;

/** /api/messages/:messageId and below (protocol §4). */
export const MessageParams = Type.Object({ messageId: Id });
export type MessageParams = Static<typeof MessageParams>;

/** PUT /api/messages/:messageId (protocol §4). */
export const EditMessageBody = Type.Object({
  content: Type.String({
    maxLength: CONTENT_MAX,
    description: "1 to 4,000 characters; may be empty with a sticker.",
  }),
});
export type EditMessageBody = Static<typeof EditMessageBody>;

/** Response of PUT /api/messages/:messageId (protocol §4). */
export const EditMessageResponse = response({ message: HumanText, chat_message: ChatMessage });
export type EditMessageResponse = Static<typeof EditMessageResponse>;

/** Response of DELETE /api/messages/:messageId; idempotent (protocol §4). */
export const DeleteMessageResponse = response({ message: HumanText, message_id: Id });
export type DeleteMessageResponse = Static<typeof DeleteMessageResponse>;

/** Response of POST …/pin and …/unpin; idempotent (protocol §4). */
export const PinResponse = response({
  message: HumanText,
  message_id: Id,
  channel_id: Id,
  is_pinned: Type.Boolean(),
  pinned_at: Nullable(Timestamp),
  pinned_by: Nullable(Type.String()),
  pinned_by_agent_id: PinnedByAgent,
});
export type PinResponse = Static<typeof PinResponse>;

/** Maximum code units of a reaction; the longest emoji has 20. */
const REACTION_UNITS = 64;

/**
 * One emoji (any of Unicode's, also with skin tone or joined), or a short name such as `like` or `+1`. The service
 * rejects other text: 400 `invalid_reaction`.
 */
export const ReactionText = Type.String({
  minLength: 1,
  maxLength: REACTION_UNITS,
  description:
    "One emoji, or a short name of 1 to 32 `a-z 0-9 _ + -` such as `like`, or of an emoji of the server; percent-encoded in a URL.",
});

/** The `invalid` of requests with a reaction. */
export const REACTION_INVALID = { reaction: "invalid_reaction" } as const;

/** /api/messages/:messageId/reactions/:reaction (protocol §4). */
export const ReactionParams = Type.Object({ messageId: Id, reaction: ReactionText });
export type ReactionParams = Static<typeof ReactionParams>;

/** `reaction:add` and `reaction:remove` (protocol §8). */
export const ReactionData = Type.Object({ message_id: Id, reaction: ReactionText });
export type ReactionData = Static<typeof ReactionData>;

/** GET …/reactions/:reaction (protocol §4). */
export const ReactorsQuery = Type.Object({ limit: Type.Optional(Limit), offset: Type.Optional(Offset) });
export type ReactorsQuery = Static<typeof ReactorsQuery>;

/** Response of GET …/reactions/:reaction: users first, then agents, the newest accounts first (protocol §4). */
export const ReactorsResponse = response({
  message_id: Id,
  reaction: Type.String(),
  actors: Type.Array(Type.Object({ kind: ActorKind, name: Type.String() })),
  has_more: Type.Boolean(),
  next_offset: Nullable(Offset),
  limit: Type.Integer({ minimum: 1 }),
});
export type ReactorsResponse = Static<typeof ReactorsResponse>;

/** Response of PUT and DELETE …/reactions/:reaction; idempotent (protocol §4). */
export const ReactionsResponse = response({ message_id: Id, reactions: Type.Array(Reaction) });
export type ReactionsResponse = Static<typeof ReactionsResponse>;
