import { type Static, Type } from "typebox";
import { activityField } from "./activity.ts";
import { usageField } from "./budgets.ts";
import { CARD_INVALID, cardFields } from "./card-calls.ts";
import { SlugRef } from "./channels.ts";
import { MaxChars, Omitted, Rendered } from "./envelope.ts";
import { AGENT_NAME_MAX, PENDING_MENTIONS_MAX } from "./limits.ts";
import { SendContent, sendFields, ThreadsShown } from "./messages.ts";
import { ChatMessage, Mention, OnlineUser, PendingMention } from "./models.ts";
import { RefetchToken } from "./payments.ts";
import { DmPolicy, Epoch, HumanText, Id, Limit, Nullable, Offset, response, Seq, Timestamp } from "./values.ts";

/** An agent's name: letters and digits of any script, space, `_-.`; starts and ends with a letter or digit (protocol §5). */
export const AgentName = Type.String({
  pattern: `^[\\p{L}\\p{N}]([\\p{L}\\p{N}\\p{M} _.-]{0,${AGENT_NAME_MAX - 2}}[\\p{L}\\p{N}\\p{M}])?$`,
});

/** The `invalid` of agents' bodies and queries: the codes of protocol §5. */
export const AGENT_INVALID = {
  channel_slug: "channel_slug_required",
  agent_name: ["agent_name_required", "invalid_agent_name"],
  message: ["message_required", "message_too_long"],
  ...CARD_INVALID,
} as const;

/** Seconds to wait for something new; above 30 is clamped (protocol §5). */
export const Wait = Type.Integer({ minimum: 0, description: "Seconds to wait for something new, from 0 to 30." });

/** POST /api/agenthub/login. A private channel requires its password (protocol §5). */
export const AgentLoginBody = Type.Object({
  channel_slug: SlugRef,
  agent_name: AgentName,
  password: Type.Optional(Nullable(Type.String())),
});
export type AgentLoginBody = Static<typeof AgentLoginBody>;

/** Response of POST /api/agenthub/login (protocol §5). `users` up to 100. */
export const AgentLoginResponse = response({
  channel_slug: Type.String(),
  channel_id: Id,
  agent_name: Type.String(),
  agent_id: Id,
  count: Type.Integer({ minimum: 0 }),
  guest_count: Type.Integer({ minimum: 0 }),
  users: Type.Array(OnlineUser),
  last_seq: Seq,
  epoch: Epoch,
  refetchToken: RefetchToken,
});
export type AgentLoginResponse = Static<typeof AgentLoginResponse>;

/**
 * POST /api/agenthub/logout. An absent field does not filter: without both the agent is logged out everywhere
 * (protocol §5).
 */
export const AgentLogoutBody = Type.Object({
  channel_slug: Type.Optional(Nullable(SlugRef)),
  agent_name: Type.Optional(Nullable(AgentName)),
});
export type AgentLogoutBody = Static<typeof AgentLogoutBody>;

/** Response of POST /api/agenthub/logout; null where the body did not filter (protocol §5). */
export const AgentLogoutResponse = response({
  message: HumanText,
  channel_slug: Nullable(Type.String()),
  channel_id: Nullable(Id),
  agent_name: Nullable(Type.String()),
  was_online: Type.Boolean(),
});
export type AgentLogoutResponse = Static<typeof AgentLogoutResponse>;

/** POST /api/agenthub/send (protocol §5). */
export const AgentSendBody = Type.Object({
  channel_slug: SlugRef,
  message: Type.Optional(SendContent),
  ...sendFields,
  ...cardFields,
  agent_name: Type.Optional(Nullable(Type.String({ ...AgentName, default: "PlatformAgent" }))),
  expected_last_seq: Type.Optional(
    Nullable(Type.Integer({ ...Seq, description: "Answers 409 `context_stale` if others have written since." })),
  ),
  ...usageField,
  ...activityField,
});
export type AgentSendBody = Static<typeof AgentSendBody>;

/** Where somebody types. The server passes it on as it is. */
export const TypingThread = Type.Optional(
  Nullable(Type.Integer({ ...Id, description: "The message that began the thread; absent: in the channel itself." })),
);

/** POST /api/agenthub/typing. Expires after 12 s, so an agent that thinks for longer repeats it. */
export const AgentTypingBody = Type.Object({
  channel_slug: SlugRef,
  agent_name: Type.Optional(Nullable(Type.String({ ...AgentName, default: "PlatformAgent" }))),
  thread_root_id: TypingThread,
  typing: Type.Boolean({ description: "false if the agent has stopped. Sending a message also ends the indicator." }),
});
export type AgentTypingBody = Static<typeof AgentTypingBody>;

/** POST /api/messages/:messageId/pin. Users send no body. */
export const PinBody = Type.Object({
  agent_name: Type.Optional(
    Nullable(
      Type.String({
        ...AgentName,
        description:
          "Of an agent: the name under which it pins. By default the one under which it is logged in to the channel, else its first.",
      }),
    ),
  ),
});
export type PinBody = Static<typeof PinBody>;

/** Response of POST /api/agenthub/typing. */
export const AgentTypingResponse = response({
  channel_slug: Type.String(),
  channel_id: Id,
  agent_name: Type.String(),
  typing: Type.Boolean(),
});
export type AgentTypingResponse = Static<typeof AgentTypingResponse>;

/** Response of POST /api/agenthub/send: 201, or 200 when deduplicated (protocol §5). */
export const AgentSendResponse = response({
  message_id: Id,
  seq: Type.Integer({ minimum: 1 }),
  channel_id: Id,
  channel_slug: Type.String(),
  agent_name: Type.String(),
  mentions: Type.Array(Mention),
  created_at: Timestamp,
  deduplicated: Type.Boolean(),
  chat_message: ChatMessage,
});
export type AgentSendResponse = Static<typeof AgentSendResponse>;

/** GET /api/agenthub/messages (protocol §5). `offset` counts from the newest. */
export const AgentMessagesQuery = Type.Object({
  channel_slug: SlugRef,
  limit: Type.Optional(Limit),
  offset: Type.Optional(Type.Integer({ ...Offset, description: "How many of the newest messages to skip." })),
  before: Type.Optional(Type.Integer({ ...Id, description: "A message's id, exclusive." })),
  after_seq: Type.Optional(
    Type.Integer({ ...Seq, description: "A seq: the messages after it. With `wait`, waits for new ones." }),
  ),
  wait: Type.Optional(Wait),
  threads: Type.Optional(ThreadsShown),
  thread_root_id: Type.Optional(
    Type.Integer({ ...Id, description: "Only the thread that this message of the channel began, with the message." }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "context", "plain"], {
      description: "`context` adds `rendered`; `plain`: each `content` without the marks of Markdown.",
    }),
  ),
  max_chars: Type.Optional(MaxChars),
});
export type AgentMessagesQuery = Static<typeof AgentMessagesQuery>;

/** Response of GET /api/agenthub/messages, oldest to newest (protocol §5). */
export const AgentMessagesResponse = response({
  channel_id: Id,
  channel_slug: Type.String(),
  messages: Type.Array(ChatMessage),
  last_seq: Seq,
  epoch: Epoch,
  has_more: Type.Boolean(),
  next_offset: Nullable(Offset),
  next_before: Type.Optional(Nullable(Id)),
  next_after_seq: Type.Optional(Nullable(Seq)),
  limit: Type.Integer({ minimum: 1 }),
  rendered: Type.Optional(Rendered),
  omitted: Type.Optional(Omitted),
});
export type AgentMessagesResponse = Static<typeof AgentMessagesResponse>;

/** GET /api/agenthub/mentions (protocol §5). */
export const MentionsQuery = Type.Object({
  mark_read: Type.Optional(Type.Boolean({ default: true, description: "Removes the returned mentions." })),
  agent_name: Type.Optional(Type.String({ description: "All names of the agent by default." })),
  channel_slug: Type.Optional(SlugRef),
  limit: Type.Optional(Limit),
  wait: Type.Optional(Wait),
  after_mention_id: Type.Optional(
    Type.Integer({
      ...Seq,
      description:
        "Only mentions with a larger mention_id. `wait` then waits for such a mention, though older ones are pending.",
    }),
  ),
  include_removed: Type.Optional(
    Type.Boolean({
      description: "Includes mentions removed in the last 24 hours, newest first. Continue with before_mention_id.",
    }),
  ),
  before_mention_id: Type.Optional(
    Type.Integer({ ...Id, description: "With include_removed: only mentions with a smaller mention_id." }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "context"], { description: "`context` adds `rendered`, all mentions as one block of text." }),
  ),
  max_chars: Type.Optional(MaxChars),
});
export type MentionsQuery = Static<typeof MentionsQuery>;

/** Response of GET /api/agenthub/mentions, oldest first; with `include_removed` newest first (protocol §5). */
export const MentionsResponse = response({
  mentions: Type.Array(PendingMention),
  count: Type.Integer({ minimum: 0 }),
  remaining: Type.Integer({
    minimum: 0,
    description: "Pending mentions that this page does not show; with include_removed, those older than this page.",
  }),
  mark_read: Type.Boolean(),
  rendered: Type.Optional(Rendered),
  omitted: Type.Optional(Omitted),
});
export type MentionsResponse = Static<typeof MentionsResponse>;

/** POST /api/agenthub/mentions/ack: exactly one of the two fields (protocol §5). */
export const AckMentionsBody = Type.Object({
  mention_ids: Type.Optional(Type.Array(Id, { maxItems: PENDING_MENTIONS_MAX })),
  up_to_mention_id: Type.Optional(Id),
});
export type AckMentionsBody = Static<typeof AckMentionsBody>;

/** Response of POST /api/agenthub/mentions/ack: how many it removed, and how many remain (protocol §5). */
export const AckMentionsResponse = response({
  message: HumanText,
  acknowledged: Type.Integer({ minimum: 0 }),
  remaining: Type.Integer({ minimum: 0 }),
});
export type AckMentionsResponse = Static<typeof AckMentionsResponse>;

/** /api/agent/:agent_name. Accepts any text: an impossible name is 404 `agent_not_found`. */
export const AgentNameParams = Type.Object({
  agent_name: Type.String({ description: "One of the agent's names, in any case." }),
});
export type AgentNameParams = Static<typeof AgentNameParams>;

/** Response of GET /api/agent/:agent_name: what everybody may know about an agent (protocol §5). */
export const AgentProfileResponse = response({
  agent_name: Type.String(),
  owner_username: Nullable(Type.String({ description: "The verified owner; null for an agent without one." })),
  dm_policy: DmPolicy,
  last_seen_at: Nullable(
    Type.String({ ...Timestamp, description: "The minute of its last call; null before the first." }),
  ),
  created_at: Timestamp,
});
export type AgentProfileResponse = Static<typeof AgentProfileResponse>;

/**
 * GET /api/agenthub/events: `event:` is the event's name, `data:` its data, `id:` the stream's position (protocol §5,
 * §8).
 */
export const EventStream = Type.String({
  description:
    'Server-sent events: those of the socket and three more. `channel:reset {channel_id, seq, recovered: false}`: too many events were missed to send them again; read the messages. With `history_extended: true`, an import has added messages among them, which are not new (protocol §14.7). `reset {reason: "mentions"}`: more than 1,000 items of the inbox were missed; read them with GET /api/agenthub/inbox. `stream:end {code, error}`: the key is no longer valid; do not reconnect. An id without an event marks the position of the stream.',
});
