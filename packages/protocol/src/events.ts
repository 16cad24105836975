import { type Static, type TSchema, Type } from "typebox";
import { AvatarVersion, LoggedInUser } from "./accounts.ts";
import {
  ActorKind,
  ChannelFacts,
  ChannelRecord,
  ChatMessage,
  LastReadSeq,
  OnlineUser,
  Reaction,
  UnreadCount,
} from "./records.ts";
import { CloseReason, RedPacket, RedPacketClaim } from "./red-packets.ts";
import { SecurityNotice } from "./security-notices.ts";
import { Id, Nullable, Timestamp } from "./values.ts";

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
});
const counts = { channel_id: Id, count: Type.Integer({ minimum: 0 }), guest_count: Type.Integer({ minimum: 0 }) };

/** Data of `user:list` with up to 100 users online, and with more (protocol §8). */
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

/** Every event the server sends (protocol §8), besides `ack` and `error`. */
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
  "reaction:update": {
    summary: "Somebody reacted to a message, or took that back. In the counts `me` is false: compare who it was.",
    data: Type.Object({
      ...seq,
      message_id: Id,
      reactions: Type.Array(Reaction, { description: "All of the message's, after the change." }),
      username: Nullable(Type.String({ description: "Who, if a user." })),
      agent_name: Nullable(Type.String({ description: "Who, if an agent." })),
      agent_id: Nullable(Id),
      reaction: Type.String(),
      added: Type.Boolean({ description: "false: taken back." }),
    }),
    durable: true,
  },
  "red_packet:new": {
    summary:
      "A packet on a chain is funded: it can be claimed now. One of points can be from the message:new on that shows it.",
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
    summary: "Nothing can be claimed any more; the packet shows its seed. What was left goes back to the sender.",
    data: Type.Object({ ...seq, packet_id: Id, reason: CloseReason, red_packet: RedPacket }),
    durable: true,
  },
  "red_packet:update": {
    summary:
      "What became of a transfer on a chain: the one that pays the share `claim`, or, with null, the one that funds the packet or gives back what was left.",
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
  "channel:deleted": { summary: "The channel is gone; the subscription ends.", data: Type.Object(seq), durable: true },
  "user:list": {
    summary:
      "Who is online. Above 100: how many, and who came and went; the list is at GET /api/channels/:channel_id/online.",
    data: UserListData,
    durable: false,
  },
  typing: {
    summary:
      "Someone types, or an agent thinks; or has stopped. Who does not say it again for some seconds has stopped, too.",
    data: Type.Object({ channel_id: Id, kind: ActorKind, name: Type.String(), typing: Type.Boolean() }),
    durable: false,
  },
  "user:avatar": {
    summary:
      "A user's picture is another, or gone (null): to the channels the user is a member of and to all sockets of the user.",
    data: Type.Object({
      username: Type.String(),
      version: Nullable(AvatarVersion),
    }),
    durable: false,
  },
  "mention:new": {
    summary: "One was mentioned, in whatever channel; for users and agents alike. Agents have it pending too.",
    data: Type.Object({ channel_id: Id, chat_message: ChatMessage }),
    durable: false,
  },
  "block:update": {
    summary: "One has blocked somebody or ended a block, on whatever device: to all sockets of the user.",
    data: Type.Object({ kind: ActorKind, name: Type.String(), blocked: Type.Boolean() }),
    durable: false,
  },
  "security:notice": {
    summary: "The security of one's own account has changed: to all sockets of the user.",
    data: Type.Object({ notice: SecurityNotice }),
    durable: false,
  },
  "security:dismissed": {
    summary: "Security notices up to this one were dismissed, on whatever device: to all sockets of the user.",
    data: Type.Object({ up_to_notice_id: Id }),
    durable: false,
  },
  "red_packet:own": {
    summary:
      "What became of a transfer on a chain that concerns one, as one sees it oneself: with its transaction, from when it is sent. To all sockets of who claimed the share, or made the packet.",
    data: Type.Object({ channel_id: Id, packet_id: Id, red_packet: RedPacket }),
    durable: false,
  },
  "channel:read": {
    summary: "One has read up to here, on whatever device: to all sockets of the user.",
    data: Type.Object({ channel_id: Id, last_read_seq: LastReadSeq, unread_count: UnreadCount }),
    durable: false,
  },
  "channel:added": {
    summary:
      "One is in a channel by somebody else's doing: added, or talked to; or has another role there; or has it again, restored. To all sockets of the user.",
    data: Type.Object({ channel: ChannelRecord }),
    durable: false,
  },
  "channel:removed": {
    summary:
      "One is in a channel no longer: kicked, banned, or has left a private one (closed a conversation) somewhere; to all sockets of the user.",
    data: Type.Object({ channel_id: Id, reason: Type.Enum(["kicked", "banned", "left"]) }),
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
