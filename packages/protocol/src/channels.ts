import { type Static, Type } from "typebox";
import { ApprovalRule } from "./cards.ts";
import { HereBy } from "./here.ts";
import { CHANNEL_NAME_MAX, CHANNEL_PASSWORD_MIN, PASSWORD_MAX, SLUG_MAX } from "./limits.ts";
import {
  AgentPolicy,
  Channel,
  ChannelRole,
  ChatMessage,
  eachText,
  Member,
  OnlineUser,
  PinPolicy,
  PostPolicy,
} from "./models.ts";
import { RefetchToken } from "./payments.ts";
import { channelPreviews } from "./previews.ts";
import { Price } from "./price.ts";
import { channelReading } from "./reading.ts";
import { RetentionDays } from "./retention.ts";
import { HumanText, Id, Limit, model, Nullable, Offset, response, Seq, Timestamp } from "./values.ts";

/** A slug that may be chosen (protocol §3). */
export const Slug = Type.String({ pattern: `^[a-z0-9]([a-z0-9-]{0,${SLUG_MAX - 2}}[a-z0-9])?$` });

/** A slug to look up a channel. Accepts any text: an impossible one is 404 `channel_not_found`. */
export const SlugRef = Type.String({ minLength: 1 });

/** A channel identified by id or by slug; neither is 400 `channel_id_required` (protocol §4, §8). */
export const channelRef = { channel_id: Type.Optional(Nullable(Id)), channel_slug: Type.Optional(Nullable(SlugRef)) };

/** A channel's name. Blank ones are refused by the service (protocol §3). */
export const ChannelName = Type.String({ minLength: 1, maxLength: CHANNEL_NAME_MAX });

/** A new password of a channel. Stored as a hash only (protocol §1, §3). */
export const ChannelPassword = Type.String({ minLength: CHANNEL_PASSWORD_MIN, maxLength: PASSWORD_MAX });

/** /api/channels/:channel_id and below. */
export const ChannelParams = Type.Object({ channel_id: Id });
export type ChannelParams = Static<typeof ChannelParams>;

/** GET /api/channels (protocol §3). */
export const ListChannelsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Channels per page besides the caller's own; at most 200, which is the default.",
    }),
  ),
  after_id: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Continues a list: `next_after_id` of the page before. Without it the page begins with all of the caller's own channels.",
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      ...Offset,
      description: "How many channels to skip, including the caller's own. `after_id` is faster.",
    }),
  ),
  channel_slug: Type.Optional(
    Type.String({ minLength: 1, description: "Only the channel with this slug, if it exists." }),
  ),
});
export type ListChannelsQuery = Static<typeof ListChannelsQuery>;

/** Response of GET /api/channels (protocol §3). */
export const ListChannelsResponse = response({
  channels: Type.Array(Channel),
  has_more: Type.Boolean(),
  next_after_id: Nullable(Id),
  next_offset: Nullable(Offset),
  limit: Type.Integer({ minimum: 1 }),
});
export type ListChannelsResponse = Static<typeof ListChannelsResponse>;

/** Response of GET /api/channels/:channel_id. */
export const ChannelResponse = response({ channel: Channel });
export type ChannelResponse = Static<typeof ChannelResponse>;

/** The settings of a channel at creation and update, besides its name. */
const channelSettings = {
  channel_slug: Type.Optional(Slug),
  is_private: Type.Optional(Type.Boolean()),
  password: Type.Optional(Nullable(ChannelPassword)),
  ...eachText((maxLength) => Type.Optional(Nullable(Type.String({ maxLength })))),
  pin_policy: Type.Optional(PinPolicy),
  post_policy: Type.Optional(PostPolicy),
  agent_policy: Type.Optional(AgentPolicy),
  here_by: Type.Optional(HereBy),
  slow_mode_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 21_600 })),
  approval_rule: Type.Optional(Nullable(ApprovalRule)),
  link_previews: Type.Optional(channelPreviews),
  price: Type.Optional(Nullable(Price)),
  retention_days: Type.Optional(
    Nullable(
      Type.Integer({
        ...RetentionDays,
        description:
          "Messages are deleted after this many days; null: after the server's limit, if it has one. The server's maximum wins: see `effective_retention_days`. Only the owner and administrators may set it.",
      }),
    ),
  ),
  keep_pinned: Type.Optional(
    Type.Boolean({ description: "Whether pinned messages are kept. Only the owner and administrators may set it." }),
  ),
};

/** POST /api/channels (protocol §3). */
export const CreateChannelBody = Type.Object({ name: ChannelName, ...channelSettings });
export type CreateChannelBody = Static<typeof CreateChannelBody>;

/** Response of POST /api/channels (protocol §3). */
export const CreateChannelResponse = response({
  message: HumanText,
  channel_id: Id,
  channel_slug: Type.String(),
  channel: Channel,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type CreateChannelResponse = Static<typeof CreateChannelResponse>;

/** PUT /api/channels/:channel_id: every setting. A body without a known field is 400 `no_fields` (protocol §3). */
export const UpdateChannelBody = Type.Object({
  name: Type.Optional(ChannelName),
  ...channelSettings,
  owner_username: Type.Optional(
    Type.String({ description: "Hands the channel over to this user. Only the owner may set it." }),
  ),
});
export type UpdateChannelBody = Static<typeof UpdateChannelBody>;

/** Body fields of a channel that can be read but not written: 400 `field_not_writable`. */
export const CHANNEL_READ_ONLY: readonly string[] = [
  "channel_id",
  ...Object.keys(Channel.properties).filter((name) => !(name in UpdateChannelBody.properties)),
];

/** Query of PUT /api/channels/:channel_id (protocol §13.8). */
export const UpdateChannelQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      description: "true: changes nothing and answers how many messages and files the new limit would delete.",
    }),
  ),
});
export type UpdateChannelQuery = Static<typeof UpdateChannelQuery>;

/** What an age limit would delete now (protocol §13.8). */
export const WouldDelete = model("WouldDelete", "What an age limit would delete now.", {
  messages: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0 }),
});
export type WouldDelete = Static<typeof WouldDelete>;

/** Response of PUT /api/channels/:channel_id (protocol §3). With `dry_run=true` the channel is unchanged. */
export const UpdateChannelResponse = response({
  message: HumanText,
  channel: Channel,
  dry_run: Type.Optional(Type.Literal(true)),
  would_delete: Type.Optional(WouldDelete),
  effective_retention_days: Type.Optional(
    Nullable(Type.Integer({ ...RetentionDays, description: "In a dry run: the limit that would apply." })),
  ),
});
export type UpdateChannelResponse = Static<typeof UpdateChannelResponse>;

/** Response of DELETE /api/channels/:channel_id and POST …/leave (protocol §3). */
export const ChannelIdResponse = response({ message: HumanText, channel_id: Id });
export type ChannelIdResponse = Static<typeof ChannelIdResponse>;

/**
 * POST /api/channels/:channel_id/join. Accepts any text as password: a wrong one is 403 `wrong_password` (protocol §3).
 */
export const JoinBody = Type.Object({ password: Type.Optional(Nullable(Type.String())) });
export type JoinBody = Static<typeof JoinBody>;

/** Response of POST …/join (protocol §3). `my_role` is null for an agent in a public channel that it was not added to. */
export const JoinResponse = response({
  channel: Channel,
  my_role: Nullable(ChannelRole),
  refetchToken: RefetchToken,
});
export type JoinResponse = Static<typeof JoinResponse>;

/** POST /api/channels/:channel_id/read; without a seq everything is marked as read. */
export const MarkReadBody = Type.Object({
  seq: Type.Optional(
    Nullable(Type.Integer({ ...Seq, description: "The seq that was read last. It never goes back." })),
  ),
});
export type MarkReadBody = Static<typeof MarkReadBody>;

/** Response of POST …/read and POST …/unread, and the ack of `channel:read`. */
export const MarkReadResponse = response(channelReading);
export type MarkReadResponse = Static<typeof MarkReadResponse>;

/** POST /api/direct: opens the conversation with one other user or with an agent. */
export const OpenDirectBody = Type.Object({
  username: Type.Optional(Nullable(Type.String({ minLength: 1, description: "The other user." }))),
  agent_name: Type.Optional(
    Nullable(Type.String({ minLength: 1, description: "Instead of `username`: one of the agent's names." })),
  ),
});
export type OpenDirectBody = Static<typeof OpenDirectBody>;

/** Response of POST /api/direct: 201, or 200 when the two have talked before. */
export const OpenDirectResponse = response({
  message: HumanText,
  channel_id: Id,
  channel_slug: Type.String(),
  channel: Channel,
  deduplicated: Type.Optional(Type.Boolean()),
});
export type OpenDirectResponse = Static<typeof OpenDirectResponse>;

/** GET …/members and …/online. */
export const PageQuery = Type.Object({ limit: Type.Optional(Limit), offset: Type.Optional(Offset) });
export type PageQuery = Static<typeof PageQuery>;

const page = { has_more: Type.Boolean(), next_offset: Nullable(Offset), limit: Type.Integer({ minimum: 1 }) };

/** Response of GET …/members: users, and the agents that were added (protocol §3). */
export const MembersResponse = response({ channel_id: Id, members: Type.Array(Member), ...page });
export type MembersResponse = Static<typeof MembersResponse>;

/** Response of GET …/online (protocol §3, §8). */
export const OnlineResponse = response({
  channel_id: Id,
  count: Type.Integer({ minimum: 0 }),
  guest_count: Type.Integer({ minimum: 0 }),
  users: Type.Array(OnlineUser),
  ...page,
});
export type OnlineResponse = Static<typeof OnlineResponse>;

/** Response of GET …/keyboards: the message whose keyboard the caller sees; empty if there is none (protocol §15.6). */
export const KeyboardsResponse = response({ channel_id: Id, messages: Type.Array(ChatMessage, { maxItems: 1 }) });
export type KeyboardsResponse = Static<typeof KeyboardsResponse>;

/** Response of GET …/pins: the pinned messages, newest pin first; 50 at most (protocol §3, §4). */
export const PinsResponse = response({ channel_id: Id, messages: Type.Array(ChatMessage) });
export type PinsResponse = Static<typeof PinsResponse>;

/** /api/channels/:channel_id/members/:username. Takes agents' names too (protocol §3). */
export const MemberParams = Type.Object({ channel_id: Id, username: Type.String() });
export type MemberParams = Static<typeof MemberParams>;

/** PUT …/members/:username. Also adds users who are not in the channel yet, to private ones too (protocol §3). */
export const UpdateMemberBody = Type.Object({
  role: Type.Optional(Type.Enum(["admin", "member"])),
  muted_until: Type.Optional(Nullable(Timestamp)),
});
export type UpdateMemberBody = Static<typeof UpdateMemberBody>;

/** Response of PUT …/members/:username (protocol §3). */
export const MemberResponse = response({ message: HumanText, channel_id: Id, member: Member });
export type MemberResponse = Static<typeof MemberResponse>;

/** Response of DELETE …/members/:username, a kick (protocol §3). */
export const RemovedMemberResponse = response({ message: HumanText, channel_id: Id, username: Type.String() });
export type RemovedMemberResponse = Static<typeof RemovedMemberResponse>;

/**
 * Answer of GET and DELETE …/guard: consecutive messages of agents since a person wrote; `limit` 0 is off
 * (protocol §5).
 */
export const GuardResponse = response({
  limit: Type.Integer({ minimum: 0 }),
  consecutive: Type.Integer({ minimum: 0 }),
  per_agent: Type.Array(
    Type.Object({ agent_id: Id, agent_name: Type.String(), consecutive: Type.Integer({ minimum: 0 }) }),
  ),
  tripped: Type.Boolean(),
  resets_at: Nullable(Timestamp),
});
export type GuardResponse = Static<typeof GuardResponse>;
