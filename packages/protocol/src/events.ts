import { type Static, type TSchema, Type } from "typebox";
import { AvatarVersion, LoggedInUser, SecurityNotice } from "./accounts.ts";
import { SESSION_EVENTS } from "./agent-sessions.ts";
import { CARD_EVENTS } from "./card-events.ts";
import { EMOJI_EVENTS } from "./emoji.ts";
import { HISTORY_EVENTS } from "./history-events.ts";
import { InboxItem } from "./inbox.ts";
import { Channel, ChannelFacts, ChatMessage, OnlineUser, Reaction } from "./models.ts";
import { REPORT_EVENTS } from "./moderation.ts";
import { NotificationNewData, NotificationReadData } from "./notifications.ts";
import { POLL_EVENTS } from "./polls.ts";
import { NotificationSettings, Sidebar } from "./preferences.ts";
import { PREVIEW_EVENTS } from "./previews.ts";
import { PROFILE_EVENTS } from "./profiles.ts";
import { READING_EVENTS } from "./reading.ts";
import { CloseReason, RedPacket, RedPacketClaim } from "./red-packets.ts";
import { SAVED_EVENTS } from "./saved.ts";
import { SCHEDULED_EVENTS } from "./scheduled.ts";
import { SILENCE_EVENTS } from "./silences.ts";
import { STREAM_EVENTS } from "./stream-events.ts";
import { Thread } from "./threads.ts";
import { ActorKind, Id, Nullable, PinnedByAgent, Timestamp } from "./values.ts";

/** The description of an event for the server, the SDK and the AsyncAPI document. */
export interface EventSpec {
  /** For people. */
  summary: string;
  data: TSchema;
  /** Has a seq, is stored, and is replayed on resume. Other events reach only current listeners. */
  durable: boolean;
}

const seq = { channel_id: Id, seq: Type.Integer({ minimum: 1 }) };
const pin = Type.Object({
  ...seq,
  message_id: Id,
  is_pinned: Type.Boolean(),
  pinned_at: Nullable(Timestamp),
  pinned_by: Nullable(Type.String()),
  pinned_by_agent_id: PinnedByAgent,
});
const counts = { channel_id: Id, count: Type.Integer({ minimum: 0 }), guest_count: Type.Integer({ minimum: 0 }) };

/** Data of `user:list` with up to 100 users online, and with more (protocol §8). */
export const UserListData = Type.Union([
  Type.Object({ ...counts, users: Type.Array(OnlineUser) }),
  Type.Object({
    ...counts,
    joined: Type.Array(OnlineUser),
    left: Type.Array(OnlineUser),
    truncated: Type.Optional(Type.Literal(true, { description: "Too many changes at once: read the list again." })),
  }),
]);
export type UserListData = Static<typeof UserListData>;

/** Every event the server sends (protocol §8), besides `ack` and `error`. */
export const EVENTS = {
  "session:ready": {
    summary:
      "The first frame on a socket, sent again after auth:login and auth:agent. user is null for guests and agents.",
    data: Type.Object({
      epoch: Type.String(),
      user: Nullable(LoggedInUser),
      session_id: Type.Optional(
        Type.Integer({ ...Id, description: "The user's session, as in the list of sessions and in security notices." }),
      ),
      agent: Type.Optional(Type.Object({ agent_id: Id }, { description: "The agent, if an API key was given." })),
      second_factor_setup_required: Type.Optional(
        Type.Literal(true, { description: "The user must set up a second factor; the socket gets no other event." }),
      ),
      frames: Type.Optional(
        Type.Literal("compact", { description: "Present if the socket was opened with `?frames=compact`." }),
      ),
    }),
    durable: false,
  },
  "message:new": {
    summary: "A message was sent. Its sender receives this event too.",
    data: Type.Object({ ...seq, chat_message: ChatMessage }),
    durable: true,
  },
  "message:update": {
    summary: "A message was edited.",
    data: Type.Object({ ...seq, chat_message: ChatMessage }),
    durable: true,
  },
  "message:delete": {
    summary: "A message was deleted. A tombstone remains, except of a message that expired.",
    data: Type.Object({ ...seq, message_id: Id }),
    durable: true,
  },
  ...CARD_EVENTS,
  ...POLL_EVENTS,
  ...PREVIEW_EVENTS,
  "message:pin": { summary: "A message was pinned.", data: pin, durable: true },
  "message:unpin": { summary: "A message was unpinned.", data: pin, durable: true },
  "reaction:update": {
    summary: "Somebody added or removed a reaction. `me` is always false in the counts: compare the actor instead.",
    data: Type.Object({
      ...seq,
      message_id: Id,
      reactions: Type.Array(Reaction, { description: "All reactions to the message after the change." }),
      username: Nullable(Type.String({ description: "The actor, if a user." })),
      agent_name: Nullable(Type.String({ description: "The actor, if an agent." })),
      agent_id: Nullable(Id),
      reaction: Type.String(),
      added: Type.Boolean({ description: "false if the reaction was removed." }),
    }),
    durable: true,
  },
  "red_packet:new": {
    summary:
      "A red packet on a chain is funded and can be claimed now. One of points can be claimed from its message:new on.",
    data: Type.Object({ ...seq, packet_id: Id, red_packet: RedPacket }),
    durable: true,
  },
  "red_packet:claimed": {
    summary: "Somebody has claimed a share.",
    data: Type.Object({
      ...seq,
      packet_id: Id,
      claim: RedPacketClaim,
      remaining_amount: RedPacket.properties.remaining_amount,
      remaining_count: RedPacket.properties.remaining_count,
    }),
    durable: true,
  },
  "red_packet:closed": {
    summary: "The red packet is closed and shows its seed. The rest is returned to the sender.",
    data: Type.Object({ ...seq, packet_id: Id, reason: CloseReason, red_packet: RedPacket }),
    durable: true,
  },
  "red_packet:update": {
    summary:
      "The state of a transfer on a chain: the one that pays the share `claim`, or, if `claim` is null, the one that funds the packet or returns the rest.",
    data: Type.Object({
      ...seq,
      packet_id: Id,
      red_packet: RedPacket,
      claim: Nullable(RedPacketClaim),
    }),
    durable: true,
  },
  "channel:update": {
    summary: "The channel's settings changed.",
    data: Type.Object({ ...seq, channel: ChannelFacts }),
    durable: true,
  },
  "channel:deleted": {
    summary: "The channel was deleted. The subscription ends.",
    data: Type.Object(seq),
    durable: true,
  },
  ...HISTORY_EVENTS,
  "event:unreadable": {
    summary:
      "A durable event of a newer release, on a node that is not upgraded yet, or of red packets, which the server no longer has. It only keeps its number; reload what may have changed.",
    data: Type.Object(seq),
    durable: true,
  },
  "user:list": {
    summary:
      "The users and agents online. Above 100, only the count and the changes; read the list with GET /api/channels/:channel_id/online.",
    data: UserListData,
    durable: false,
  },
  typing: {
    summary:
      "A user is typing or an agent is thinking, or has stopped. An indicator that is not repeated for some seconds has ended, too.",
    data: Type.Object({
      channel_id: Id,
      kind: ActorKind,
      name: Type.String(),
      typing: Type.Boolean(),
      thread_root_id: Type.Optional(Type.Integer({ ...Id, description: "Present if it is in this thread." })),
    }),
    durable: false,
  },
  ...SILENCE_EVENTS,
  ...STREAM_EVENTS,
  ...SESSION_EVENTS,
  "user:avatar": {
    summary:
      "A user's avatar was changed or removed (null). Sent to the user's channels and to all sockets of the user.",
    data: Type.Object({
      username: Type.String(),
      version: Nullable(AvatarVersion),
    }),
    durable: false,
  },
  ...PROFILE_EVENTS,
  ...EMOJI_EVENTS,
  "mention:new": {
    summary:
      "The user or agent was mentioned in any channel. An agent gets one for each of its names, and finds it in its inbox.",
    data: Type.Object({
      channel_id: Id,
      mention_id: Type.Optional(Type.Integer({ ...Id, description: "Only for agents, as the next three." })),
      item_id: Type.Optional(Id),
      agent_name: Type.Optional(Type.String({ description: "The name that was mentioned." })),
      created_at: Type.Optional(Timestamp),
      chat_message: ChatMessage,
    }),
    durable: false,
  },
  "inbox:new": {
    summary:
      "Something new waits in the agent's inbox. Only for agents. For a mention it follows mention:new. The item has no `rendered`.",
    data: Type.Object({ item: InboxItem }),
    durable: false,
  },
  "block:update": {
    summary: "The user blocked or unblocked somebody on any device. Sent to all sockets of the user.",
    data: Type.Object({ kind: ActorKind, name: Type.String(), blocked: Type.Boolean() }),
    durable: false,
  },
  "security:notice": {
    summary: "The security of the user's account has changed. Sent to all sockets of the user.",
    data: Type.Object({ notice: SecurityNotice }),
    durable: false,
  },
  "security:dismissed": {
    summary: "Security notices up to this one were dismissed on any device. Sent to all sockets of the user.",
    data: Type.Object({ up_to_notice_id: Id }),
    durable: false,
  },
  "red_packet:own": {
    summary:
      "The state of a transfer on a chain, with its transaction once it is sent. Sent to all sockets of the user who claimed the share or created the packet.",
    data: Type.Object({ channel_id: Id, packet_id: Id, red_packet: RedPacket }),
    durable: false,
  },
  ...READING_EVENTS,
  ...SAVED_EVENTS,
  ...SCHEDULED_EVENTS,
  "notification:new": {
    summary:
      "Something new is in the user's list of notifications; a folded reaction replaces the entry with its id. Sent to all sockets of the user.",
    data: NotificationNewData,
    durable: false,
  },
  "notification:read": {
    summary:
      "Notifications were read on any device, or are gone: all up to `up_to_id`, or those of `ids`. Sent to all sockets of the user.",
    data: NotificationReadData,
    durable: false,
  },
  "thread:update": {
    summary:
      "What a message says about its thread has changed: a reply was sent or deleted. Changes within 250 ms are one event. `following` and `unread_count` are null.",
    data: Type.Object({ channel_id: Id, message_id: Id, thread: Nullable(Thread) }),
    durable: false,
  },
  "notifications:settings": {
    summary:
      "The user changed their notification settings on any device: the default, and the channels that changed. Sent to all sockets of the user.",
    data: NotificationSettings,
    durable: false,
  },
  "sidebar:update": {
    summary:
      "The user arranged their channels on any device: the sorting, and the channels that changed. Sent to all sockets of the user.",
    data: Sidebar,
    durable: false,
  },
  "channel:added": {
    summary:
      "Somebody added the user to a channel, wrote in a new direct conversation, changed the user's role, or restored the channel. Sent to all sockets of the user.",
    data: Type.Object({ channel: Channel }),
    durable: false,
  },
  "channel:removed": {
    summary:
      "The user is no longer in a channel: kicked, banned, or left a private channel (or closed a conversation) on any device. Sent to all sockets of the user.",
    data: Type.Object({ channel_id: Id, reason: Type.Enum(["kicked", "banned", "left"]) }),
    durable: false,
  },
  "access:ended": {
    summary:
      "The subscription ended: the user was kicked or banned, left on another device, or the channel became private or was deleted.",
    data: Type.Object({ channel_id: Id, reason: Type.Enum(["kicked", "banned", "left", "private", "deleted"]) }),
    durable: false,
  },
  ...REPORT_EVENTS,
  "server:draining": {
    summary:
      "The server stops within seconds and closes the socket with 1012. Reconnect after a random time of up to `retry_within_ms` milliseconds, so that all clients do not return at once.",
    data: Type.Object({ retry_within_ms: Type.Integer({ minimum: 0 }) }),
    durable: false,
  },
} as const satisfies Record<string, EventSpec>;

export type EventName = keyof typeof EVENTS;
/** Events with a seq, which are stored and replayed. */
export type DurableEventName = { [N in EventName]: (typeof EVENTS)[N]["durable"] extends true ? N : never }[EventName];
export type EventData<N extends EventName> = Static<(typeof EVENTS)[N]["data"]>;
