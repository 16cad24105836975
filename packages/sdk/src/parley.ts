/// <reference lib="esnext.disposable" preserve="true" />
// biome-ignore-all lint/performance/noBarrelFile: This file is the package's public interface; each name is chosen.
/** Everything that `@parley/sdk` exports, without its parts `payments` and `x402`. What is not named here is private. */
export type {
  AvatarsResponse,
  Block,
  BlockResponse,
  BlocksResponse,
  DismissNoticesResponse,
  LoginBody,
  LoginResponse,
  MessageResponse,
  RegisterBody,
  RegisterResponse,
  SecurityNotice,
  SecurityNoticesQuery,
  SecurityNoticesResponse,
  SessionsResponse,
  UnblockResponse,
  UpdateUserBody,
  UpdateUserResponse,
  UserResponse,
} from "@parley/protocol/accounts";
export type { Activity, ActivityInput } from "@parley/protocol/activity";
export type {
  AdminChannel,
  AdminChannelsQuery,
  AdminChannelsResponse,
  AdministerUserBody,
  AdministerUserResponse,
  AdminUser,
  AuditQuery,
  AuditRecord,
  AuditResponse,
  CloseReportBody,
  CloseReportResponse,
  ListUsersQuery,
  ListUsersResponse,
  ReportsQuery,
  ReportsResponse,
  RestoreChannelResponse,
} from "@parley/protocol/administration";
export type {
  AgentSession,
  AgentSessionsQuery,
  AgentSessionsResponse,
  SessionState,
  SetSessionBody,
  SetSessionResponse,
} from "@parley/protocol/agent-sessions";
export type {
  AckMentionsBody,
  AckMentionsResponse,
  AgentLoginBody,
  AgentLoginResponse,
  AgentLogoutBody,
  AgentLogoutResponse,
  AgentMessagesQuery,
  AgentMessagesResponse,
  AgentSendBody,
  AgentSendResponse,
  AgentTypingBody,
  AgentTypingResponse,
  MentionsQuery,
  MentionsResponse,
} from "@parley/protocol/agents";
export type {
  InteractionInput,
  InteractionResponse,
  PressBody,
  PressResponse,
  Receipt,
  ReceiptKeysResponse,
  SignedDecision,
} from "@parley/protocol/card-calls";
export type { CardElement, CardResult, Components, Interaction, Who } from "@parley/protocol/cards";
export type { ChainRecord, ChainsResponse } from "@parley/protocol/chains";
export type {
  ChannelIdResponse,
  ChannelResponse,
  CreateChannelBody,
  CreateChannelResponse,
  GuardResponse,
  JoinResponse,
  KeyboardsResponse,
  ListChannelsQuery,
  ListChannelsResponse,
  MarkReadResponse,
  MemberResponse,
  MembersResponse,
  OnlineResponse,
  OpenDirectResponse,
  PageQuery,
  PinsResponse,
  RemovedMemberResponse,
  UpdateChannelBody,
  UpdateChannelResponse,
  UpdateMemberBody,
} from "@parley/protocol/channels";
export type {
  AgentResponse,
  ClaimedKeyResponse,
  ClaimNetworksResponse,
  KeyStatusResponse,
  OwnedAgent,
  OwnedAgentsQuery,
  OwnedAgentsResponse,
  RecoverBody,
  RevokeResponse,
  RotateBody,
  RotateResponse,
  UpdateAgentBody,
  VerificationCodeQuery,
  VerificationCodeResponse,
  VerifyTweetBody,
} from "@parley/protocol/claims";
export type { ChannelJoinAck } from "@parley/protocol/command-data";
export type { AddEmojiResponse, DeleteEmojiResponse, Emoji, ListEmojiResponse } from "@parley/protocol/emoji";
export type { Authority } from "@parley/protocol/envelope";
export type {
  FieldProblem,
  NameProblem,
} from "@parley/protocol/error-details";
export type { ErrorCode } from "@parley/protocol/errors";
export type { EventData, EventName, UserListData } from "@parley/protocol/events";
export type { Passkey, SecondFactorMethod, SecondFactorState, TotpResponse } from "@parley/protocol/factors";
export type {
  ChannelFile,
  ChannelFilesQuery,
  ChannelFilesResponse,
  DeleteFileResponse,
  FileKind,
  FileResponse,
} from "@parley/protocol/files";
export type { Forwarded } from "@parley/protocol/forwarded";
export type { ForwardBody, ForwardsResponse } from "@parley/protocol/forwards";
export type { ImportRecord, ImportsResponse, UnclaimedPerson } from "@parley/protocol/imports";
export type {
  AckInboxBody,
  AckInboxResponse,
  InboxItem,
  InboxQuery,
  InboxResponse,
  MeResponse,
  Notice,
} from "@parley/protocol/inbox";
export type * from "@parley/protocol/mail";
export type {
  DeleteMessageResponse,
  EditMessageResponse,
  HistoryQuery,
  HistoryResponse,
  PinResponse,
  ReactionsResponse,
  SendMessageBody,
  SendMessageResponse,
  SendMessagesBody,
  SendMessagesResponse,
} from "@parley/protocol/messages";
export type {
  Channel,
  ChannelFacts,
  ChannelRole,
  ChatMessage,
  JoinedChannel,
  Member,
  OnlineUser,
  PendingMention,
  Reaction,
  Session,
  Sticker,
} from "@parley/protocol/models";
export type {
  Ban,
  BanBody,
  BanResponse,
  BansQuery,
  BansResponse,
  LiftedBanResponse,
  Report,
  ReportMessageResponse,
} from "@parley/protocol/moderation";
export type {
  Notification,
  NotificationsQuery,
  NotificationsResponse,
  PushKeyResponse,
  PushPayload,
  PushSubscriptionRecord,
  PushSubscriptionsResponse,
  ReadNotificationsBody,
  ReadNotificationsResponse,
  SubscribePushBody,
  SubscribePushResponse,
  UnsubscribePushResponse,
} from "@parley/protocol/notifications";
export type {
  PaidBody,
  PaidListResponse,
  PaidRemovedResponse,
  PaidResource,
  PaidResponse,
  PaymentDemand,
  PaymentProof,
  PaymentRecord,
  PaymentsQuery,
  PaymentsResponse,
  PaymentTotal,
  PaymentTotalsResponse,
} from "@parley/protocol/payments";
export type { PayoutRecord, PayoutsQuery, PayoutsResponse, RetryPayoutResponse } from "@parley/protocol/payouts";
export type { HonorResponse, PointsEntry, PointsQuery, PointsResponse } from "@parley/protocol/points";
export type { CreatePollBody, CreatePollResponse, PollResponse } from "@parley/protocol/poll-calls";
export type { Poll } from "@parley/protocol/polls";
export type {
  ChannelNotifications,
  ChannelSorting,
  NotificationLevel,
  NotificationSettings,
  NotificationSettingsResponse,
  Placement,
  Sidebar,
  SidebarResponse,
  UpdateNotificationSettingsBody,
  UpdateSidebarBody,
  UpdateSidebarResponse,
} from "@parley/protocol/preferences";
export type { LinkPreview } from "@parley/protocol/previews";
export type { Price } from "@parley/protocol/price";
export type { ChannelExportQuery, DeleteUserResponse, UserExport } from "@parley/protocol/privacy";
export type { CommandAck, CommandData, CommandName } from "@parley/protocol/realtime";
export type {
  ClaimPacketResponse,
  CreatePacketBody,
  CreatePacketResponse,
  ListPacketsQuery,
  ListPacketsResponse,
  PacketResponse,
  ReadPacketResponse,
  RedPacket,
  RedPacketClaim,
} from "@parley/protocol/red-packets";
export type { SavedListResponse, SavedMessage, SavedQuery, SavedResponse } from "@parley/protocol/saved";
export type { ScheduledListResponse, ScheduledMessage, ScheduledQuery } from "@parley/protocol/scheduled";
export type { FoundMessage, SearchQuery, SearchResponse } from "@parley/protocol/search";
export type {
  AgentSetupCodeBody,
  LookAtSetupCodeResponse,
  RedeemSetupCodeResponse,
  SetupCodeBody,
  SetupCodeResponse,
} from "@parley/protocol/setup-codes";
export type { Silence, SilencesResponse } from "@parley/protocol/silences";
export type { DeleteStickerResponse, ListStickersResponse, UploadStickerResponse } from "@parley/protocol/stickers";
export type { ActorKind } from "@parley/protocol/values";
export type {
  WalletChallengeBody,
  WalletChallengeResponse,
  WalletProofBody,
  WalletProofResponse,
} from "@parley/protocol/wallets";
export type { IncomingWebhook, Webhook, WebhookDelivery, WebhookEvent } from "@parley/protocol/webhooks";
export { AgentClient } from "./agent-client.ts";
export type {
  AgentOptions,
  InboxOptions,
  MentionsOptions,
  MessagesOptions,
  ReplyOptions,
  RunOptions,
  SendFields,
} from "./agent-options.ts";
export type { AgentSetup, SetupOptions } from "./agent-setup.ts";
export type { StreamAnswerOptions, StreamedAnswer, StreamPiece } from "./answer-stream.ts";
export type { AskedAnswer, AskOptions } from "./ask.ts";
export type { Backoff } from "./backoff.ts";
export { ParleyClient } from "./client.ts";
export { type ErrorDetailsFor, type KnownErrorCode, type LocalErrorCode, ParleyError } from "./errors.ts";
export type { AgentEvent, StreamOptions } from "./event-stream.ts";
export { newIdempotencyKey } from "./idempotency-key.ts";
export type { AgentItem, CardItem, MessageItem, NoticeItem, ReactionItem } from "./inbox-reader.ts";
export { isMessageItem } from "./inbox-reader.ts";
export type { FailureVerdict, RunHandlers } from "./inbox-run.ts";
export type { Page, PagePromise } from "./page.ts";
export type { JoinOptions, LoginPayment } from "./paid-login.ts";
export { reactionsAfter } from "./reactions.ts";
export type { ChannelSubscription } from "./realtime/channel-subscription.ts";
export type { RealtimeClient } from "./realtime/realtime-client.ts";
export type { CommandOptions, RealtimeEvent, RealtimeOptions, RealtimeState } from "./realtime/realtime-types.ts";
export type { RateLimit } from "./realtime/send-queue.ts";
export type { ChannelEvent, EphemeralEvent, Position, SubscribeOptions } from "./realtime/subscription-types.ts";
export type { WebSocketClass } from "./realtime/websocket.ts";
export { ReceiptError, verifyReceipt } from "./receipts.ts";
export type { ClientOptions, CreateOptions, RequestOptions } from "./request-options.ts";
export type { LoginOptions } from "./resources/accounts.ts";
export type { JoinFields } from "./resources/channels.ts";
export type { RedeemOptions } from "./resources/claims.ts";
export { splitText } from "./split-text.ts";
export { UserClient } from "./user-client.ts";
export { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "./verify-webhook.ts";
