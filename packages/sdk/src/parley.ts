// biome-ignore-all lint/performance/noBarrelFile: This file is the package's public interface; each name is chosen.

/**
 * Everything that `@parley/sdk` exports, except `@parley/sdk/payments` and `@parley/sdk/x402`. What is not named here is
 * private.
 */
export type { FieldProblem, NameProblem } from "@parley/protocol/error-details";
export type { ErrorCode } from "@parley/protocol/errors";
export type {
  Channel,
  ChatMessage,
  Member,
  OnlineUser,
  PendingMention,
  Reaction,
} from "@parley/protocol/models";
export type { AgentOptions, MentionsOptions, MessagesOptions, ReplyOptions, SendFields } from "./agent-client.ts";
export { AgentClient } from "./agent-client.ts";
export type { Backoff } from "./backoff.ts";
export { ParleyClient } from "./client.ts";
export type { ErrorDetailsFor, KnownErrorCode, LocalErrorCode } from "./errors.ts";
export { ParleyError } from "./errors.ts";
export type { AgentEvent, StreamOptions } from "./event-stream.ts";
export { newIdempotencyKey } from "./idempotency-key.ts";
export type { Page, PagePromise } from "./page.ts";
export { reactionsAfter } from "./reactions.ts";
export type { ChannelSubscription } from "./realtime/channel-subscription.ts";
export type { RealtimeClient } from "./realtime/realtime-client.ts";
export type { CommandOptions, RealtimeEvent, RealtimeOptions, RealtimeState } from "./realtime/realtime-types.ts";
export type { RateLimit } from "./realtime/send-queue.ts";
export type { ChannelEvent, EphemeralEvent, Position, SubscribeOptions } from "./realtime/subscription-types.ts";
export type { ClientOptions, CreateOptions, RequestOptions } from "./request-options.ts";
export type { JoinFields } from "./resources/channels.ts";
export type { RedeemOptions } from "./resources/claims.ts";
