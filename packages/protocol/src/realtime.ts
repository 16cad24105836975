import { type Static, type TSchema, Type } from "typebox";
import { LoggedInUser, LoginAnswer, LoginBody } from "./accounts.ts";
import { channelRef } from "./channels.ts";
import type { ErrorCode } from "./errors.ts";
import {
  CONTENT_INVALID,
  Content,
  DeleteMessageAnswer,
  EditMessageAnswer,
  MESSAGE_READ_ONLY,
  SendMessageAnswer,
  SendMessageBody,
} from "./messages.ts";
import { ActorKind, ChannelFacts, ChannelRecord, ChannelRole, ChatMessage, OnlineUser } from "./records.ts";
import { answer, ErrorAnswer, Id, Nullable, Seq, Timestamp } from "./values.ts";

/** The codes a socket is closed with (contract, section 8). */
export const CLOSE = {
  /** The server stops; connect again. */
  restart: 1012,
  /** Frames that are no JSON, binary or too large, again and again. */
  badFrames: 4400,
  /** The session ended: logged out, password changed, expired. */
  sessionOver: 4401,
  /** The account is suspended, or the key revoked. */
  accessEnded: 4403,
  /** More frames than the rate allows. */
  tooFast: 4408,
  /** More than 1 MiB unread; connect again and resume by seq. */
  tooSlow: 4409,
} as const;
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

/** Links a command to its answer; chosen by the client. */
export const Ref = Type.Union([Type.String({ maxLength: 64 }), Type.Integer()]);
export type Ref = Static<typeof Ref>;

/** A frame from the client (contract, section 8). The command's own schema checks `data`. */
export const CommandFrame = Type.Object({
  event: Type.String(),
  data: Type.Optional(Type.Unknown()),
  ref: Type.Optional(Nullable(Ref)),
});
export type CommandFrame = Static<typeof CommandFrame>;

/** Answer to a command that was refused; `ref` null when it had none (contract, section 8). */
export const ErrorFrame = Type.Object({ event: Type.Literal("error"), ref: Nullable(Ref), data: ErrorAnswer });
export type ErrorFrame = Static<typeof ErrorFrame>;

/** A frame of the server that nobody asked for (contract, section 8). */
export const EventFrame = Type.Object({ event: Type.String(), data: Type.Unknown() });
export type EventFrame = Static<typeof EventFrame>;

const ChannelRefData = Type.Object(channelRef);

/** Data of `channel:join`. With `after_seq` and `epoch` it resumes (contract, section 8). */
export const ChannelJoinData = Type.Object({
  ...channelRef,
  password: Type.Optional(Nullable(Type.String())),
  after_seq: Type.Optional(
    Nullable(Type.Integer({ ...Seq, description: "The last seq the client has; needs `epoch`." })),
  ),
  epoch: Type.Optional(Nullable(Type.String({ description: "Of the `session:ready` or ack the client knows." }))),
});
export type ChannelJoinData = Static<typeof ChannelJoinData>;

/** Ack of `channel:join` (contract, sections 8 and 11). `recovered` and `events` are there when it resumed. */
export const ChannelJoinAck = answer({
  channel: ChannelRecord,
  my_role: Nullable(ChannelRole),
  last_seq: Seq,
  epoch: Type.String({ description: "Names the incarnation of the data; a resume from another one is not possible." }),
  count: Type.Integer({ minimum: 0 }),
  guest_count: Type.Integer({ minimum: 0 }),
  users: Type.Array(OnlineUser, { description: "The first 100." }),
  recovered: Type.Optional(Type.Boolean({ description: "false: page the history from `last_seq`." })),
  events: Type.Optional(
    Type.Array(EventFrame, { description: "All that was missed, once and in order: the frames as they were pushed." }),
  ),
});
export type ChannelJoinAck = Static<typeof ChannelJoinAck>;

/** What the gateway, the sdk and the AsyncAPI document know of a command. */
export interface CommandSpec {
  /** For people. */
  summary: string;
  data: TSchema;
  /** `data` of the ack. */
  ack: TSchema;
  /** Fields that exist but cannot be written. */
  readOnly?: readonly string[];
  /** As in http/route.ts: the code for a field that is missing or wrong. */
  invalid?: Record<string, ErrorCode | readonly [missing: ErrorCode, wrong: ErrorCode]>;
  /** Codes besides those every command may answer (`COMMAND_ERRORS`). */
  errors: readonly ErrorCode[];
}

/** Codes every command may answer. */
export const COMMAND_ERRORS = [
  "invalid_json",
  "unknown_command",
  "invalid_request",
  "rate_limited",
  "internal_error",
  "overloaded",
  "storage_full",
  "storage_unavailable",
  "draining",
] as const satisfies readonly ErrorCode[];

const CHANNEL_ERRORS = ["channel_id_required", "channel_not_found", "password_required"] as const;
const POST_ERRORS = ["session_required", "content_required", "message_too_long", "muted", "post_policy"] as const;

/** Every command a client may send (contract, section 8). All are answered. */
export const COMMANDS = {
  "auth:login": {
    summary: "Logs the socket in, as the cookie does at the handshake.",
    data: LoginBody,
    ack: LoginAnswer,
    errors: ["invalid_credentials", "account_suspended", "too_many_sockets"],
  },
  "channel:join": {
    summary:
      "Subscribes to a channel; with after_seq and epoch sends what was missed. The right password makes a member.",
    data: ChannelJoinData,
    ack: ChannelJoinAck,
    errors: [...CHANNEL_ERRORS, "wrong_password", "banned", "session_required", "too_many_channels"],
  },
  "channel:leave": {
    summary: "Ends the socket's subscription; membership stays.",
    data: ChannelRefData,
    ack: answer({ channel_id: Id }),
    errors: ["channel_id_required", "channel_not_found"],
  },
  "message:send": {
    summary: "Posts a message; the twin of POST /api/messages.",
    data: SendMessageBody,
    ack: SendMessageAnswer,
    invalid: CONTENT_INVALID,
    readOnly: MESSAGE_READ_ONLY,
    errors: [
      ...CHANNEL_ERRORS,
      ...POST_ERRORS,
      "field_not_writable",
      "banned",
      "slow_mode",
      "message_not_found",
      "message_deleted",
      "idempotency_conflict",
    ],
  },
  "message:edit": {
    summary: "Edits one's own message; the twin of PUT /api/messages/:messageId.",
    data: Type.Object({ message_id: Id, content: Content }),
    ack: EditMessageAnswer,
    invalid: { message_id: "invalid_id", ...CONTENT_INVALID },
    errors: [...POST_ERRORS, "invalid_id", "forbidden", "password_required", "message_not_found", "message_deleted"],
  },
  "message:delete": {
    summary: "Deletes a message; the twin of DELETE /api/messages/:messageId.",
    data: Type.Object({ message_id: Id }),
    ack: DeleteMessageAnswer,
    invalid: { message_id: "invalid_id" },
    errors: ["session_required", "invalid_id", "forbidden", "password_required", "message_not_found"],
  },
  "typing:start": {
    summary: "Tells the channel that one is typing.",
    data: ChannelRefData,
    ack: answer({}),
    errors: [...CHANNEL_ERRORS, "session_required", "not_a_member", "muted"],
  },
  "typing:stop": {
    summary: "Tells the channel that one has stopped typing.",
    data: ChannelRefData,
    ack: answer({}),
    errors: [...CHANNEL_ERRORS, "session_required", "not_a_member", "muted"],
  },
  ping: { summary: "Asks for a sign of life.", data: Type.Object({}), ack: answer({}), errors: [] },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;
export type CommandData<N extends CommandName> = Static<(typeof COMMANDS)[N]["data"]>;
export type CommandAck<N extends CommandName> = Static<(typeof COMMANDS)[N]["ack"]>;

/** What the server, the sdk and the AsyncAPI document know of an event. */
export interface EventSpec {
  /** For people. */
  summary: string;
  data: TSchema;
  /** Takes a seq, is kept, and comes again on resume. Others are only heard by who listens. */
  durable: boolean;
}

const seq = { channel_id: Id, seq: Type.Integer({ minimum: 1 }) };
const pin = Type.Object({
  ...seq,
  message_id: Id,
  is_pinned: Type.Boolean(),
  pinned_at: Nullable(Timestamp),
  pinned_by: Nullable(Type.String()),
});
const counts = { channel_id: Id, count: Type.Integer({ minimum: 0 }), guest_count: Type.Integer({ minimum: 0 }) };

/** Data of `user:list` up to 100 online, and above (seed 6; contract, section 8). */
export const UserListData = Type.Union([
  Type.Object({ ...counts, users: Type.Array(OnlineUser) }),
  Type.Object({
    ...counts,
    joined: Type.Array(OnlineUser),
    left: Type.Array(OnlineUser),
    truncated: Type.Optional(Type.Literal(true, { description: "Too many at once: read the list again." })),
  }),
]);
export type UserListData = Static<typeof UserListData>;

/** Every event the server sends (seed 6; contract, section 8), besides `ack` and `error`. */
export const EVENTS = {
  "session:ready": {
    summary: "The first frame of a socket, and again after auth:login. user is null for guests.",
    data: Type.Object({ epoch: Type.String(), user: Nullable(LoggedInUser) }),
    durable: false,
  },
  "message:new": {
    summary: "A message, to its sender too.",
    data: Type.Object({ ...seq, chat_message: ChatMessage }),
    durable: true,
  },
  "message:update": {
    summary: "A message was edited.",
    data: Type.Object({ ...seq, chat_message: ChatMessage }),
    durable: true,
  },
  "message:delete": {
    summary: "A message was deleted; a tombstone stays.",
    data: Type.Object({ ...seq, message_id: Id }),
    durable: true,
  },
  "message:pin": { summary: "A message was pinned.", data: pin, durable: true },
  "message:unpin": { summary: "A message was unpinned.", data: pin, durable: true },
  "channel:update": {
    summary: "The channel's settings changed.",
    data: Type.Object({ ...seq, channel: ChannelFacts }),
    durable: true,
  },
  "channel:deleted": { summary: "The channel is gone; the subscription ends.", data: Type.Object(seq), durable: true },
  "user:list": {
    summary:
      "Who is online. Above 100: how many, and who came and went; the list is at GET /api/channels/:channel_id/online.",
    data: UserListData,
    durable: false,
  },
  typing: {
    summary: "Someone types, or has stopped.",
    data: Type.Object({ channel_id: Id, kind: ActorKind, name: Type.String(), typing: Type.Boolean() }),
    durable: false,
  },
  "mention:new": {
    summary: "One was mentioned, in whatever channel; for users and agents alike. Agents have it pending too.",
    data: Type.Object({ channel_id: Id, chat_message: ChatMessage }),
    durable: false,
  },
  "access:ended": {
    summary: "The subscription ended: kicked, banned, left elsewhere, or the channel became private.",
    data: Type.Object({ channel_id: Id, reason: Type.Enum(["kicked", "banned", "left", "private", "deleted"]) }),
    durable: false,
  },
  "server:draining": {
    summary: "The server stops within seconds; the socket will be closed with 1012.",
    data: Type.Object({}),
    durable: false,
  },
} as const satisfies Record<string, EventSpec>;

export type EventName = keyof typeof EVENTS;
export type EventData<N extends EventName> = Static<(typeof EVENTS)[N]["data"]>;
