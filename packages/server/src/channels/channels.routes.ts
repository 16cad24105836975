import {
  CHANNEL_READ_ONLY,
  ChannelIdResponse,
  ChannelParams,
  ChannelResponse,
  CreateChannelBody,
  CreateChannelResponse,
  ListChannelsQuery,
  ListChannelsResponse,
  MemberParams,
  MemberResponse,
  MembersResponse,
  OnlineResponse,
  PageQuery,
  RemovedMemberResponse,
  UpdateChannelBody,
  UpdateChannelQuery,
  UpdateChannelResponse,
  UpdateMemberBody,
} from "@parley/protocol/channels";
import { type Route, route } from "../http/route.ts";
import { readableChannel } from "./access/access.ts";
import { banRoutes } from "./bans/bans.routes.ts";
import { visibleChannels } from "./channel-list.ts";
import { channelRecord } from "./channels.service.ts";
import { membersOf, onlineIn, removeMember, updateMembership } from "./members/members.service.ts";
import { preferenceRoutes } from "./preferences/preferences.routes.ts";
import { readingRoutes } from "./reading/reading.routes.ts";
import { dryRun } from "./retention/dry-run.ts";
import { createChannel, deleteChannel, updateChannel } from "./settings/settings.service.ts";

const tag = "Channels";
const invalidSettings = {
  name: "invalid_channel_name",
  channel_slug: "invalid_channel_slug",
  price: "invalid_price",
} as const;
/** Errors for a channel the caller may not read. */
const HIDDEN = ["invalid_id", "channel_not_found", "password_required", "banned"] as const;

/** Routes for channels (protocol §3). */
const channels: Route[] = [
  route({
    name: "listChannels",
    method: "GET",
    path: "/api/channels",
    summary: "List channels",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "list channels",
    query: ListChannelsQuery,
    answers: { 200: ListChannelsResponse },
    errors: ["session_required"],
    handle: ({ ctx, caller, query }) => visibleChannels(ctx, caller, query),
  }),
  route({
    name: "createChannel",
    method: "POST",
    path: "/api/channels",
    summary: "Create a channel",
    tag,
    auth: "session",
    documentedActs: "create channel",
    body: CreateChannelBody,
    invalid: invalidSettings,
    readOnly: [...CHANNEL_READ_ONLY, "owner_username"],
    rates: [{ policy: "channelCreate", by: "identity" }],
    status: 201,
    answers: { 200: CreateChannelResponse, 201: CreateChannelResponse },
    errors: [
      "invalid_channel_name",
      "invalid_channel_slug",
      "invalid_price",
      "payments_not_configured",
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
    name: "getChannel",
    method: "GET",
    path: "/api/channels/:channel_id",
    summary: "Read one channel",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    answers: { 200: ChannelResponse },
    errors: ["session_required", ...HIDDEN],
    async handle({ ctx, caller, params }) {
      const channel = await readableChannel(ctx, caller, { id: params.channel_id });
      return { channel: await channelRecord(ctx, caller, channel) };
    },
  }),
  route({
    name: "updateChannel",
    method: "PUT",
    path: "/api/channels/:channel_id",
    summary: "Change a channel's settings",
    tag,
    auth: "session",
    documentedActs: ["update channel", "hand over channel", "limit age", "rule approvals"],
    params: ChannelParams,
    query: UpdateChannelQuery,
    body: UpdateChannelBody,
    invalid: invalidSettings,
    readOnly: CHANNEL_READ_ONLY,
    answers: { 200: UpdateChannelResponse },
    errors: [
      ...HIDDEN,
      "no_fields",
      "invalid_channel_name",
      "invalid_channel_slug",
      "invalid_price",
      "payment_required",
      "payments_not_configured",
      "password_requires_private",
      "forbidden",
      "user_not_found",
      "slug_taken",
      "channel_limit_reached",
      "member_banned",
      "user_suspended",
      "overloaded",
    ],
    async handle({ ctx, caller, params, query, body }) {
      if (query.dry_run === true) {
        const { channel, ...found } = await dryRun(ctx, caller, { id: params.channel_id }, body);
        const record = await channelRecord(ctx, caller, channel);
        return { message: "Nothing was changed.", channel: record, dry_run: true as const, ...found };
      }
      const channel = await updateChannel(ctx, caller, { id: params.channel_id }, body);
      return { message: "The channel is updated.", channel: await channelRecord(ctx, caller, channel) };
    },
  }),
  route({
    name: "deleteChannel",
    method: "DELETE",
    path: "/api/channels/:channel_id",
    summary: "Delete a channel; administrators can restore it for 7 days",
    tag,
    auth: "session",
    documentedActs: "delete channel",
    params: ChannelParams,
    answers: { 200: ChannelIdResponse },
    errors: [...HIDDEN, "forbidden", "open_red_packets"],
    async handle({ ctx, caller, params }) {
      const channel = await deleteChannel(ctx, caller, { id: params.channel_id });
      return { message: "The channel is deleted.", channel_id: channel.id };
    },
  }),
];

/** Routes for channel members (protocol §3). */
const members: Route[] = [
  route({
    name: "listMembers",
    method: "GET",
    path: "/api/channels/:channel_id/members",
    summary: "List the members of a channel: users, and agents that were added",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    query: PageQuery,
    answers: { 200: MembersResponse },
    errors: ["session_required", ...HIDDEN],
    handle: ({ ctx, caller, params, query }) => membersOf(ctx, caller, { id: params.channel_id }, query),
  }),
  route({
    name: "listOnline",
    method: "GET",
    path: "/api/channels/:channel_id/online",
    summary: "List who is online in a channel",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    query: PageQuery,
    answers: { 200: OnlineResponse },
    errors: ["session_required", ...HIDDEN],
    handle: ({ ctx, caller, params, query }) => onlineIn(ctx, caller, { id: params.channel_id }, query),
  }),
  route({
    name: "setMember",
    method: "PUT",
    path: "/api/channels/:channel_id/members/:username",
    summary: "Add or mute a user or agent, or change a role",
    tag,
    auth: "session",
    documentedActs: ["moderate", "give roles"],
    params: MemberParams,
    body: UpdateMemberBody,
    bodyOptional: true,
    answers: { 200: MemberResponse },
    errors: [...HIDDEN, "forbidden", "user_not_found", "member_not_found", "member_banned", "blocked", "user_blocked"],
    async handle({ ctx, caller, params, body }) {
      const { channel, member } = await updateMembership(ctx, caller, { id: params.channel_id }, params.username, body);
      return { message: "The member is updated.", channel_id: channel.id, member };
    },
  }),
  route({
    name: "removeMember",
    method: "DELETE",
    path: "/api/channels/:channel_id/members/:username",
    summary: "Kick a user or agent",
    tag,
    auth: "session",
    documentedActs: "moderate",
    params: MemberParams,
    answers: { 200: RemovedMemberResponse },
    errors: [...HIDDEN, "forbidden", "member_not_found", "owner_cannot_leave"],
    async handle({ ctx, caller, params }) {
      const { channel, name } = await removeMember(ctx, caller, { id: params.channel_id }, params.username);
      return { message: "The member is removed.", channel_id: channel.id, username: name };
    },
  }),
];

/** Every route of the slice. */
export const channelRoutes: readonly Route[] = [
  ...channels,
  ...members,
  ...banRoutes,
  ...preferenceRoutes,
  ...readingRoutes,
];
