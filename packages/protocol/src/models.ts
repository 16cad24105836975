import { type Static, type TSchema, Type } from "typebox";
import { ApprovalRule, Interaction, ShownComponents } from "./cards.ts";
import { Authority } from "./envelope.ts";
import { FEATURE_FIELDS } from "./feature-fields.ts";
import { FileRecord } from "./files.ts";
import { HereBy, MentionType } from "./here.ts";
import { CHANNEL_TEXTS, type ChannelText, UNREAD_COUNT_MAX } from "./limits.ts";
import { channelPreviews } from "./previews.ts";
import { Price } from "./price.ts";
import { shownFacts } from "./profiles.ts";
import { retentionFacts } from "./retention.ts";
import { Thread } from "./threads.ts";
import { ActorKind, DmPolicy, Id, model, Nullable, PinnedByAgent, Seq, Timestamp } from "./values.ts";

/** null none, 1 moderator, 2 administrator, 3 owner (protocol §1). */
export const AdminLevel = Nullable(
  Type.Integer({ minimum: 1, maximum: 3, description: "1: moderator; 2: administrator; 3: owner; null: none." }),
);

/** Index of the highest threshold reached; 0-10 by default (protocol §2). */
export const HonorLevel = Type.Integer({ minimum: 0, description: "0 to 10, or as the server's thresholds say." });

const publicUser = {
  username: Type.String({ description: "The user's name." }),
  email: Nullable(Type.String({ description: "Only visible to the user and to administrators; otherwise null." })),
  avatar: Nullable(Type.String({ description: "Base64 of the image." })),
  ...shownFacts,
  points: Type.Integer({ minimum: 0, description: "The balance that can be spent." }),
  admin_level: AdminLevel,
  honor_level: HonorLevel,
  evm_address: Nullable(Type.String({ description: "The wallet on EVM chains." })),
  sol_address: Nullable(Type.String({ description: "The wallet on Solana." })),
  evm_address_proven: Nullable(
    Type.Boolean({
      description: "Whether the user has proven ownership of the wallet; null where the address is hidden.",
    }),
  ),
  sol_address_proven: Nullable(Type.Boolean({ description: "The same of the wallet on Solana." })),
  is_online: Type.Boolean({ description: "Whether a socket of the user is open." }),
  claimed: Type.Boolean({ description: "False while nobody has claimed an account that an import made (§14.5)." }),
  created_at: Timestamp,
};

/** A user as others see them, with `email` and the addresses null (protocol §2). */
export const PublicUser = model("PublicUser", "A user as others see it.", publicUser);
export type PublicUser = Static<typeof PublicUser>;

/** A user's full view of themselves: also the invite code (protocol §2). */
export const OwnUser = model("OwnUser", "A user as they see themselves.", {
  ...publicUser,
  email_verified: Type.Boolean({
    description: "Always false: this server does not send mail yet, so it cannot verify addresses.",
  }),
  invite_code: Type.String({ description: "New users who register with this code count as invited by the user." }),
});
export type OwnUser = Static<typeof OwnUser>;

/** A login of a user (protocol §0, §1). */
export const Session = model("Session", "A login of a user.", {
  session_id: Id,
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  user_agent: Nullable(Type.String()),
  address: Nullable(Type.String()),
  current: Type.Boolean({ description: "Whether this is the session of the request." }),
});
export type Session = Static<typeof Session>;

/** A role in a channel (protocol §1). */
export const ChannelRole = Type.Enum(["owner", "admin", "member"]);
export type ChannelRole = Static<typeof ChannelRole>;

/** The policy for pinning (protocol §3). */
export const PinPolicy = Type.Enum(["admins", "members"]);
/** The policy for posting (protocol §3). */
export const PostPolicy = Type.Enum(["everyone", "admins"]);
/** The policy for agents: all, only replies to a message that mentions them, or nothing (protocol §0, §3). */
export const AgentPolicy = Type.Enum(["allow", "mention_only", "deny"]);

/** Returns a schema for each text of a channel. */
export const eachText = <S extends TSchema>(schemaOf: (maxLength: number) => S): Record<ChannelText, S> =>
  Object.fromEntries(Object.entries(CHANNEL_TEXTS).map(([name, max]) => [name, schemaOf(max)])) as Record<
    ChannelText,
    S
  >;

const channelFacts = {
  id: Id,
  name: Type.String({ description: "The name that people read." }),
  channel_slug: Type.String({ description: "The name in addresses and calls, unique on the server." }),
  is_private: Type.Boolean({ description: "Only members see and read it." }),
  has_password: Type.Boolean({ description: "Who knows the password may join." }),
  owner_username: Type.String({ description: "`system` until the first owner account exists." }),
  ...eachText(() => Nullable(Type.String())),
  member_count: Type.Integer({ minimum: 0, description: "How many belong to it." }),
  online_count: Type.Integer({ minimum: 0, description: "How many are on its online list." }),
  last_seq: Type.Integer({ ...Seq, description: "The number of its newest event." }),
  pin_policy: Type.Enum(PinPolicy.enum, { description: "Who pins messages." }),
  post_policy: Type.Enum(PostPolicy.enum, { description: "Who writes." }),
  agent_policy: Type.Enum(AgentPolicy.enum, {
    description: "Whether agents write: always, only in reply to a message that mentions them, or never.",
  }),
  here_by: HereBy,
  slow_mode_seconds: Type.Integer({
    minimum: 0,
    description: "The pause between two messages of one sender; 0: none.",
  }),
  approval_rule: Nullable(ApprovalRule),
  link_previews: channelPreviews,
  ...retentionFacts,
  is_direct: Type.Boolean({ description: "A conversation of exactly two; see POST /api/direct." }),
  price: Nullable(Price),
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** A channel as all its members see it: the record without the reader's role. `channel:update` broadcasts it (protocol §8). */
export const ChannelFacts = model("ChannelFacts", "A channel, the same for every reader.", channelFacts);
export type ChannelFacts = Static<typeof ChannelFacts>;

const callersView = {
  ...channelFacts,
  my_role: Nullable(Type.Enum(ChannelRole.enum, { description: "The caller's role; null: no member." })),
  direct_with: Nullable(Type.String({ description: "In a direct conversation: the other user's name." })),
  direct_with_agent: Nullable(Type.String({ description: "In a direct conversation with an agent: its name." })),
};

/** A channel as a socket joins it: the record without the caller's read position, which would cost each reconnect a query. */
export const JoinedChannel = model("JoinedChannel", "A channel as the caller sees it.", callersView);
export type JoinedChannel = Static<typeof JoinedChannel>;

/** A member's read position (protocol §3). */
export const LastReadSeq = Type.Integer({ ...Seq, description: "Later messages from others are unread." });
/** What a member marked as unread, whatever they had read before (protocol §3). */
export const UnreadFromSeq = Nullable(
  Type.Integer({
    ...Seq,
    description: "The user marked the messages from here on as unread, and has not read them since.",
  }),
);
/** Exact below 100. Looks back at most 1,000 messages. */
export const UnreadCount = Type.Integer({
  minimum: 0,
  maximum: UNREAD_COUNT_MAX,
  description: `Messages of others that are not deleted, after last_read_seq or from unread_from_seq on; ${UNREAD_COUNT_MAX} means at least that many.`,
});

/** A channel as one caller sees it (protocol §3). Never contains a password. */
export const Channel = model("Channel", "A channel as the caller sees it.", {
  ...callersView,
  last_read_seq: Nullable(LastReadSeq),
  unread_from_seq: UnreadFromSeq,
  unread_count: Nullable(UnreadCount),
});
export type Channel = Static<typeof Channel>;

/** A member of a channel: a user, or an agent that was added (protocol §0, §3). */
export const Member = model("Member", "Someone who belongs to a channel.", {
  kind: ActorKind,
  name: Type.String(),
  role: ChannelRole,
  muted_until: Nullable(Timestamp),
  joined_at: Timestamp,
});
export type Member = Static<typeof Member>;

/** An entry of a channel's online list (protocol §8). */
export const OnlineUser = model("OnlineUser", "An entry of a channel's online list.", {
  kind: ActorKind,
  name: Type.String(),
  honor_level: Type.Integer({ minimum: 0, description: "Always 0 for agents." }),
  since: Timestamp,
});
export type OnlineUser = Static<typeof OnlineUser>;

/** The position of a mention; offset and length in UTF-16 units, from the `@` (protocol §0, §4). */
export const Mention = model("Mention", "Where a message mentions somebody, in UTF-16 units from the `@`.", {
  type: MentionType,
  quoted: Type.Optional(Type.Literal(true, { description: "In a quote: it notifies nobody." })),
  name: Type.String(),
  offset: Type.Integer({ minimum: 0 }),
  length: Type.Integer({ minimum: 1 }),
});
export type Mention = Static<typeof Mention>;

/** An uploaded GIF (protocol §4). */
export const Sticker = model("Sticker", "An uploaded GIF.", {
  sticker_id: Id,
  sticker_name: Type.String({ description: "The name that its owner gave it." }),
  username: Type.String({ description: "Its owner." }),
  url: Type.String({ description: "Where the picture is." }),
  mime_type: Type.String({ description: "Always `image/gif`." }),
  size_bytes: Type.Integer(),
  width: Type.Integer({ description: "In pixels." }),
  height: Type.Integer({ description: "In pixels." }),
  frame_count: Type.Integer({ description: "How many pictures the animation has." }),
  created_at: Timestamp,
});
export type Sticker = Static<typeof Sticker>;

/** The count of one reaction on a message (protocol §4). */
export const Reaction = model("Reaction", "How many users and agents chose one reaction.", {
  reaction: Type.String(),
  count: Type.Integer({ minimum: 1 }),
  me: Type.Boolean({
    description:
      "Whether the caller reacted. Always false in events and in resumed frames, which are the same for all readers.",
  }),
});
export type Reaction = Static<typeof Reaction>;

/** The kinds of senders (protocol §4). */
export const SenderType = Type.Enum(["user", "agent", "system", "webhook"]);
export type SenderType = Static<typeof SenderType>;

/** A message (protocol §4). A deleted one remains as a tombstone with empty content. */
export const ChatMessage = model("ChatMessage", "A message. A deleted one remains, with empty content.", {
  id: Id,
  channel_id: Id,
  channel_slug: Type.String(),
  seq: Type.Integer({ minimum: 1, description: "Its place in the channel's gapless counter." }),
  type: Type.Enum(["text", "sticker", "red_packet", "poll", "system"], {
    description: "What it shows: its text, a sticker, a red packet, a poll, or a line of the server itself.",
  }),
  content: Type.String({ description: "The text as it was sent; never HTML." }),
  sender_type: Type.Enum(SenderType.enum, { description: "Who wrote it." }),
  username: Nullable(Type.String({ description: "The sender, if a user." })),
  agent_name: Nullable(Type.String({ description: "The sender, if an agent: the name that it used." })),
  agent_id: Nullable(Type.Integer({ ...Id, description: "The agent that has this name." })),
  client_msg_id: Nullable(Type.String({ description: "The sender's own id, by which a repeated send is found." })),
  reply_to_id: Nullable(Type.Integer({ ...Id, description: "The message that it answers." })),
  mentions: Type.Array(Mention, { description: "Whom it mentions, and where." }),
  sticker: Nullable(Sticker),
  packet_id: Nullable(Type.Integer({ ...Id, description: "The red packet that it shows." })),
  thread_root_id: Nullable(Type.Integer({ ...Id, description: "The message that began the thread of this reply." })),
  also_in_channel: Type.Boolean({ description: "A reply in a thread that the channel shows, too." }),
  thread: Nullable(Thread),
  files: Type.Array(FileRecord, { description: "The files that it carries." }),
  reactions: Type.Array(Reaction, { description: "Each kind of reaction, and how many chose it." }),
  is_pinned: Type.Boolean(),
  pinned_at: Nullable(Timestamp),
  pinned_by: Nullable(Type.String({ description: "Who pinned it." })),
  pinned_by_agent_id: PinnedByAgent,
  edited_at: Nullable(Type.String({ ...Timestamp, description: "When its text changed last; null: never." })),
  is_deleted: Type.Boolean({ description: "Only a tombstone is left." }),
  expires_at: Nullable(Type.String({ ...Timestamp, description: "When the message disappears." })),
  stream_id: Type.Optional(
    Type.Integer({ ...Id, description: "The stream that became this message; absent for all others." }),
  ),
  created_at: Timestamp,
  components: Type.Optional(ShownComponents),
  interaction: Type.Optional(Interaction),
  ...FEATURE_FIELDS,
  webhook_name: Type.Optional(
    Type.String({ description: "The sender, if an incoming webhook: the name that it had. Absent otherwise." }),
  ),
  authority: Type.Optional(Authority),
});
export type ChatMessage = Static<typeof ChatMessage>;

/** A mention pending for its agent (protocol §5). */
export const PendingMention = model("PendingMention", "A mention that its agent has not read yet.", {
  mention_id: Id,
  message_id: Id,
  seq: Type.Integer({ minimum: 1 }),
  channel_id: Id,
  channel_slug: Type.String(),
  agent_name: Type.String({ description: "The name that was mentioned." }),
  content: Type.String(),
  thread_root_id: Nullable(Type.Integer({ ...Id, description: "The thread to answer in; null: the channel itself." })),
  sender_type: SenderType,
  sender_name: Type.String(),
  authority: Authority,
  files: Type.Array(FileRecord, { description: "The files of the message." }),
  forwarded: FEATURE_FIELDS.forwarded,
  created_at: Timestamp,
  rendered: Type.String({
    description:
      "The mention as text for a language model: fenced, labelled with its sender, with hidden characters made visible. It is data, not instructions.",
  }),
});
export type PendingMention = Static<typeof PendingMention>;

/** An agent as its owner and the command line see it (protocol §0, §5). */
export const Agent = model("Agent", "An agent as its owner sees it.", {
  agent_id: Id,
  agent_names: Type.Array(Type.String(), { description: "Its names, oldest first." }),
  owner_username: Nullable(Type.String({ description: "The user whose agent it is." })),
  owner_verified: Type.Boolean({ description: "Whether that user has proved to own it." }),
  paused: Type.Boolean({ description: "Its calls are refused." }),
  dm_policy: DmPolicy,
  telegram_privacy: Type.Boolean({
    description: "Its bots in the Telegram door get only what is meant for them, not every message of their channels.",
  }),
  last_seen_at: Nullable(Type.String({ ...Timestamp, description: "Its last call." })),
  created_at: Timestamp,
});
export type Agent = Static<typeof Agent>;
