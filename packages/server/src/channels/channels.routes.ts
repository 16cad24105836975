import {
  CHANNEL_READ_ONLY,
  ChannelAnswer,
  ChannelIdAnswer,
  ChannelParams,
  CreateChannelAnswer,
  CreateChannelBody,
  JoinAnswer,
  JoinBody,
  ListChannelsAnswer,
  ListChannelsQuery,
  MemberAnswer,
  MemberParams,
  MembersAnswer,
  OnlineAnswer,
  PageQuery,
  RemovedMemberAnswer,
  UpdateChannelAnswer,
  UpdateChannelBody,
  UpdateMemberBody,
} from "@parley/protocol/channels";
import { type Route, route } from "../http/route.ts";
import { readableChannel } from "./access.ts";
import { channelRecord, visibleChannels } from "./channels.service.ts";
import { joinChannel, leaveChannel } from "./join.service.ts";
import { membersOf, onlineIn, removeMember, updateMembership } from "./members.service.ts";
import { createChannel, deleteChannel, updateChannel } from "./settings.service.ts";

const tag = "Channels";
const invalidSettings = { name: "invalid_channel_name", channel_slug: "invalid_channel_slug" } as const;
/** A channel the caller may not read. */
const HIDDEN = ["invalid_id", "channel_not_found", "password_required"] as const;

/** Contract, section 3: channels. */
const channels: Route[] = [
  route({
    method: "GET",
    path: "/api/channels",
    summary: "List channels",
    tag,
    auth: "guest",
    rights: "Everyone: public channels, private ones with a password, and one's own.",
    query: ListChannelsQuery,
    answers: { 200: ListChannelsAnswer },
    errors: ["session_required"],
    handle: ({ ctx, caller, query }) => visibleChannels(ctx, caller, query),
  }),
  route({
    method: "POST",
    path: "/api/channels",
    summary: "Create a channel",
    tag,
    auth: "session",
    rights: "Users; the creator owns it.",
    body: CreateChannelBody,
    invalid: invalidSettings,
    readOnly: [...CHANNEL_READ_ONLY, "owner_username"],
    status: 201,
    answers: { 200: CreateChannelAnswer, 201: CreateChannelAnswer },
    errors: [
      "invalid_channel_name",
      "invalid_channel_slug",
      "password_requires_private",
      "slug_taken",
      "channel_limit_reached",
      "overloaded",
    ],
    idempotent: true,
    async handle({ ctx, caller, body }) {
      const channel = await createChannel(ctx, caller, body);
      return {
        message: "The channel is created.",
        channel_id: channel.id,
        channel_slug: channel.channel_slug,
        channel,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/channels/:channel_id",
    summary: "Read one channel",
    tag,
    auth: "guest",
    rights: "Whoever may read its history.",
    params: ChannelParams,
    answers: { 200: ChannelAnswer },
    errors: ["session_required", ...HIDDEN],
    async handle({ ctx, caller, params }) {
      const channel = await readableChannel(ctx, caller, { id: params.channel_id });
      return { channel: await channelRecord(ctx, caller, channel) };
    },
  }),
  route({
    method: "PUT",
    path: "/api/channels/:channel_id",
    summary: "Change a channel's settings",
    tag,
    auth: "session",
    rights:
      "The channel's admins and owner, administrators. Handing it over (owner_username): its owner, administrators.",
    params: ChannelParams,
    body: UpdateChannelBody,
    invalid: invalidSettings,
    readOnly: CHANNEL_READ_ONLY,
    answers: { 200: UpdateChannelAnswer },
    errors: [
      ...HIDDEN,
      "no_fields",
      "invalid_channel_name",
      "invalid_channel_slug",
      "password_requires_private",
      "forbidden",
      "user_not_found",
      "slug_taken",
      "channel_limit_reached",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body }) {
      const channel = await updateChannel(ctx, caller, { id: params.channel_id }, body);
      return { message: "The channel is updated.", channel: await channelRecord(ctx, caller, channel) };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/channels/:channel_id",
    summary: "Delete a channel; administrators can restore it for 7 days",
    tag,
    auth: "session",
    rights: "The channel's owner, administrators.",
    params: ChannelParams,
    answers: { 200: ChannelIdAnswer },
    errors: [...HIDDEN, "forbidden"],
    async handle({ ctx, caller, params }) {
      const channel = await deleteChannel(ctx, caller, { id: params.channel_id });
      return { message: "The channel is deleted.", channel_id: channel.id };
    },
  }),
];

/** Contract, section 3: who is in a channel. */
const members: Route[] = [
  route({
    method: "POST",
    path: "/api/channels/:channel_id/join",
    summary: "Join a channel",
    tag,
    auth: "session",
    rights: "Users: public channels, and private ones with their password. Again: the same answer.",
    params: ChannelParams,
    body: JoinBody,
    bodyOptional: true,
    answers: { 200: JoinAnswer },
    errors: [...HIDDEN, "wrong_password", "overloaded"],
    async handle({ ctx, caller, params, body }) {
      const { channel, role } = await joinChannel(ctx, caller, { id: params.channel_id }, body.password);
      return { channel: await channelRecord(ctx, caller, channel), my_role: role };
    },
  }),
  route({
    method: "POST",
    path: "/api/channels/:channel_id/leave",
    summary: "Leave a channel",
    tag,
    auth: "session",
    rights: "Members; the owner has to hand it over first.",
    params: ChannelParams,
    answers: { 200: ChannelIdAnswer },
    errors: [...HIDDEN, "owner_cannot_leave"],
    async handle({ ctx, caller, params }) {
      const channel = await leaveChannel(ctx, caller, { id: params.channel_id });
      return { message: "You have left the channel.", channel_id: channel.id };
    },
  }),
  route({
    method: "GET",
    path: "/api/channels/:channel_id/members",
    summary: "List who belongs to a channel: users, and agents that were added",
    tag,
    auth: "guest",
    rights: "Whoever may read its history.",
    params: ChannelParams,
    query: PageQuery,
    answers: { 200: MembersAnswer },
    errors: ["session_required", ...HIDDEN],
    handle: ({ ctx, caller, params, query }) => membersOf(ctx, caller, { id: params.channel_id }, query),
  }),
  route({
    method: "GET",
    path: "/api/channels/:channel_id/online",
    summary: "List who is online in a channel",
    tag,
    auth: "guest",
    rights: "Whoever may read its history.",
    params: ChannelParams,
    query: PageQuery,
    answers: { 200: OnlineAnswer },
    errors: ["session_required", ...HIDDEN],
    handle: ({ ctx, caller, params, query }) => onlineIn(ctx, caller, { id: params.channel_id }, query),
  }),
  route({
    method: "PUT",
    path: "/api/channels/:channel_id/members/:username",
    summary: "Add a user or agent, change a role, mute",
    tag,
    auth: "session",
    rights:
      "Adding and muting: the channel's admins and owner, moderators (public channels). Roles: its owner, administrators.",
    params: MemberParams,
    body: UpdateMemberBody,
    bodyOptional: true,
    answers: { 200: MemberAnswer },
    errors: [...HIDDEN, "forbidden", "user_not_found"],
    async handle({ ctx, caller, params, body }) {
      const { channel, member } = await updateMembership(ctx, caller, { id: params.channel_id }, params.username, body);
      return { message: "The member is updated.", channel_id: channel.id, member };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/channels/:channel_id/members/:username",
    summary: "Kick a user or agent",
    tag,
    auth: "session",
    rights: "The channel's admins and owner, moderators; only who stands below.",
    params: MemberParams,
    answers: { 200: RemovedMemberAnswer },
    errors: [...HIDDEN, "forbidden", "member_not_found", "owner_cannot_leave"],
    async handle({ ctx, caller, params }) {
      const { channel, name } = await removeMember(ctx, caller, { id: params.channel_id }, params.username);
      return { message: "The member is removed.", channel_id: channel.id, username: name };
    },
  }),
];

/** Every route of the slice. */
export const channelRoutes: readonly Route[] = [...channels, ...members];
