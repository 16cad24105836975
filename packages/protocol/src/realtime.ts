import { type Static, type TSchema, Type } from "typebox";
import { LoginBody, LoginResponse } from "./accounts.ts";
import { CARD_INVALID, PressData, PressResponse } from "./card-calls.ts";
import { channelRef, MarkReadBody, MarkReadResponse } from "./channels.ts";
import {
  AgentAuthAck,
  AgentAuthData,
  ChannelJoinAck,
  ChannelJoinData,
  ChannelRefData,
  SendData,
  TypingData,
} from "./command-data.ts";
import {
  AGENT_NAME_ERRORS,
  CHANNEL_ERRORS,
  CLOSED_ERRORS,
  NAME_INVALID,
  PAYMENT_ERRORS,
  POST_ERRORS,
  PRESS_ERRORS,
  REACTION_ERRORS,
  REPLY_ERRORS,
  SENT_FILE_ERRORS,
  TYPING_ERRORS,
} from "./command-errors.ts";
import type { ErrorCode } from "./errors.ts";
import { SECOND_FACTOR_INVALID, SecondFactorBody } from "./factors.ts";
import {
  CONTENT_INVALID,
  DeleteMessageResponse,
  EditMessageBody,
  EditMessageResponse,
  MESSAGE_READ_ONLY,
  REACTION_INVALID,
  ReactionData,
  ReactionsResponse,
  SendMessageResponse,
} from "./messages.ts";
import { STREAM_COMMANDS } from "./stream-commands.ts";
import { ErrorResponse, Id, Nullable, response } from "./values.ts";

/** The close codes of a socket (protocol §8). */
export const CLOSE = {
  /** The server is stopping; reconnect. */
  restart: 1012,
  /** Repeated frames that are not JSON, binary or too large. */
  badFrames: 4400,
  /** The session ended (logged out, password changed, expired), or the API key no longer exists. */
  sessionOver: 4401,
  /** The account is suspended, the key revoked, or the agent paused. */
  accessEnded: 4403,
  /** More frames than the rate allows. */
  tooFast: 4408,
  /** More than 1 MiB unread; reconnect and resume by seq. */
  tooSlow: 4409,
} as const;
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

/** Links a command to its response; chosen by the client. */
export const Ref = Type.Union([Type.String({ maxLength: 64 }), Type.Integer()]);
export type Ref = Static<typeof Ref>;

/** A frame from the client (protocol §8). The command's own schema checks `data`. */
export const CommandFrame = Type.Object({
  event: Type.String(),
  data: Type.Optional(Type.Unknown()),
  ref: Type.Optional(Nullable(Ref)),
});
export type CommandFrame = Static<typeof CommandFrame>;

/** The answer to a refused command; `ref` is null if it had none (protocol §8). */
export const ErrorFrame = Type.Object({ event: Type.Literal("error"), ref: Nullable(Ref), data: ErrorResponse });
export type ErrorFrame = Static<typeof ErrorFrame>;

/** The description of a command for the gateway, the SDK and the AsyncAPI document. */
export interface CommandSpec {
  /** For people. */
  summary: string;
  data: TSchema;
  /** `data` of the ack. */
  ack: TSchema;
  /** Fields that exist but are read-only. */
  readOnly?: readonly string[];
  /** As in http/route.ts: the code for a missing or wrong field. */
  invalid?: Record<string, ErrorCode | readonly [missing: ErrorCode, wrong: ErrorCode]>;
  /** Codes in addition to those that every command may return (`COMMAND_ERRORS`). */
  errors: readonly ErrorCode[];
}

/** Codes that every command may return. */
export const COMMAND_ERRORS = [
  "invalid_json",
  "unknown_command",
  "invalid_request",
  "rate_limited",
  "insufficient_scope",
  "second_factor_setup_required",
  "internal_error",
  "overloaded",
  "storage_full",
  "storage_unavailable",
  "draining",
] as const satisfies readonly ErrorCode[];

/** Returns every code with which a command may be refused: those of all commands, its own, and those of its fields. */
export const codesOf = ({ errors, invalid = {} }: CommandSpec): readonly ErrorCode[] => [
  ...new Set([...errors, ...Object.values(invalid).flat(), ...COMMAND_ERRORS] as ErrorCode[]),
];

/** Every command a client may send (protocol §8). Each one gets a response. */
export const COMMANDS = {
  "auth:login": {
    summary: "Logs the socket in, as the cookie does at the handshake. The session ends with the socket.",
    data: LoginBody,
    ack: LoginResponse,
    errors: ["invalid_credentials", "account_suspended", "second_factor_required", "too_many_sockets"],
  },
  "auth:second-factor": {
    summary: "Completes a login that answered `second_factor_required`.",
    data: SecondFactorBody,
    ack: LoginResponse,
    invalid: SECOND_FACTOR_INVALID,
    errors: ["challenge_expired", "wrong_code", "account_suspended", "too_many_sockets"],
  },
  "auth:agent": {
    summary: "Makes the socket an agent's, as `Authorization: Bearer <key>` does at the handshake.",
    data: AgentAuthData,
    ack: AgentAuthAck,
    invalid: { api_key: "missing_api_key" },
    errors: ["missing_api_key", "invalid_api_key", "key_revoked", "key_expired", "agent_paused", "too_many_sockets"],
  },
  "channel:join": {
    summary:
      "Subscribes to a channel. With after_seq and epoch, sends the missed frames. The right password makes the user a member. Logs an agent in, as POST /api/agenthub/login does.",
    data: ChannelJoinData,
    ack: ChannelJoinAck,
    invalid: NAME_INVALID,
    errors: [
      ...CHANNEL_ERRORS,
      ...PAYMENT_ERRORS,
      "wrong_password",
      "forbidden",
      "session_required",
      "too_many_channels",
      ...AGENT_NAME_ERRORS,
      "agents_not_allowed",
    ],
  },
  "channel:leave": {
    summary: "Ends the socket's subscription; membership stays. Logs an agent out of the channel.",
    data: ChannelRefData,
    ack: response({ channel_id: Id }),
    errors: CHANNEL_ERRORS,
  },
  "channel:read": {
    summary: "Marks a channel as read, like POST /api/channels/:channel_id/read.",
    data: Type.Object({ ...channelRef, ...MarkReadBody.properties }),
    ack: MarkReadResponse,
    errors: [...CHANNEL_ERRORS, "session_required", "not_a_member"],
  },
  "message:send": {
    summary: "Posts a message, like POST /api/messages; for agents, like POST /api/agenthub/send.",
    data: SendData,
    ack: SendMessageResponse,
    invalid: {
      ...CONTENT_INVALID,
      ...NAME_INVALID,
      ...CARD_INVALID,
    },
    readOnly: MESSAGE_READ_ONLY,
    errors: [
      ...CHANNEL_ERRORS,
      ...POST_ERRORS,
      ...AGENT_NAME_ERRORS,
      "message_required",
      "agents_not_allowed",
      "budget_exhausted",
      "loop_guard_tripped",
      "context_stale",
      "field_not_writable",
      "here_not_allowed",
      "here_rate_limited",
      "slow_mode",
      "sticker_not_found",
      ...SENT_FILE_ERRORS,
      ...REPLY_ERRORS,
      "idempotency_conflict",
      "invalid_components",
      "nobody_may_answer",
      "user_not_found",
      "card_limit_reached",
    ],
  },
  ...STREAM_COMMANDS,
  "message:edit": {
    summary: "Edits the caller's own message, like PUT /api/messages/:messageId.",
    data: Type.Object({ message_id: Id, ...EditMessageBody.properties }),
    ack: EditMessageResponse,
    invalid: { message_id: "invalid_id", ...CONTENT_INVALID },
    errors: [
      ...POST_ERRORS,
      "agents_not_allowed",
      "invalid_id",
      "forbidden",
      ...CLOSED_ERRORS,
      "message_not_found",
      "message_deleted",
      "message_has_interaction",
      "budget_exhausted",
    ],
  },
  "message:delete": {
    summary: "Deletes a message, like DELETE /api/messages/:messageId.",
    data: Type.Object({ message_id: Id }),
    ack: DeleteMessageResponse,
    invalid: { message_id: "invalid_id" },
    errors: ["session_required", "invalid_id", "forbidden", ...CLOSED_ERRORS, "message_not_found"],
  },
  "interaction:press": {
    summary: "Answers a card, like POST /api/interactions/:interaction_id/press.",
    data: PressData,
    ack: PressResponse,
    invalid: { interaction_id: "invalid_id", action_id: "unknown_action", value: "unknown_action" },
    errors: PRESS_ERRORS,
  },
  "reaction:add": {
    summary: "Reacts to a message, like PUT /api/messages/:messageId/reactions/:reaction.",
    data: ReactionData,
    ack: ReactionsResponse,
    invalid: { message_id: "invalid_id", ...REACTION_INVALID },
    errors: [
      ...REACTION_ERRORS,
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "agents_not_allowed",
      "reaction_limit_reached",
    ],
  },
  "reaction:remove": {
    summary: "Removes the caller's reaction, like DELETE /api/messages/:messageId/reactions/:reaction.",
    data: ReactionData,
    ack: ReactionsResponse,
    invalid: { message_id: "invalid_id", ...REACTION_INVALID },
    errors: REACTION_ERRORS,
  },
  "typing:start": {
    summary: "Shows the channel that the user is typing or the agent is thinking.",
    data: TypingData,
    ack: response({}),
    invalid: NAME_INVALID,
    errors: TYPING_ERRORS,
  },
  "typing:stop": {
    summary: "Shows the channel that the user has stopped typing or the agent has stopped thinking.",
    data: TypingData,
    ack: response({}),
    invalid: NAME_INVALID,
    errors: TYPING_ERRORS,
  },
  "page:visible": {
    summary:
      "Tells whether the page of this socket is in front of its user. While one is, nothing is pushed to the user's browsers.",
    data: Type.Object({ visible: Type.Boolean() }),
    ack: response({}),
    errors: ["session_required"],
  },
  ping: { summary: "Checks that the connection is alive.", data: Type.Object({}), ack: response({}), errors: [] },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;
export type CommandData<N extends CommandName> = Static<(typeof COMMANDS)[N]["data"]>;
export type CommandAck<N extends CommandName> = Static<(typeof COMMANDS)[N]["ack"]>;
