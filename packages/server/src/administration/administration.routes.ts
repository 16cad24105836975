import { ADMINISTERED_READ_ONLY, UserParams } from "@parley/protocol/accounts";
import {
  AdminAgentsQuery,
  AdminChannelsQuery,
  AdminChannelsResponse,
  AdministerUserBody,
  AdministerUserResponse,
  AuditQuery,
  AuditResponse,
  HoldChannelBody,
  HoldChannelResponse,
  ListUsersQuery,
  ListUsersResponse,
  RestoreChannelResponse,
} from "@parley/protocol/administration";
import { ChannelParams } from "@parley/protocol/channels";
import { OwnedAgentsResponse } from "@parley/protocol/claims";
import { SetupResponse } from "@parley/protocol/site";
import { readAudit } from "../audit/audit.ts";
import { isoTimeOrNull } from "../base/iso-time.ts";
import { channelRecord } from "../channels/channels.service.ts";
import { anyChannels, restoreChannel } from "../channels/deleted/restore.service.ts";
import { holdChannel } from "../channels/retention/hold.service.ts";
import { type Route, route } from "../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { allAgents } from "../key-claims/owned-agents.service.ts";
import { administerUser, setupSteps, usersPage } from "./administration.service.ts";

const tag = "Administration";
const auth = "session";

const users: Route[] = [
  route({
    name: "listUsers",
    method: "GET",
    path: "/api/admin/users",
    summary: "Find users",
    tag,
    auth,
    documentedActs: "list users",
    query: ListUsersQuery,
    answers: { 200: ListUsersResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return usersPage(ctx, query);
    },
  }),
  route({
    name: "administerUser",
    method: "PUT",
    path: "/api/admin/users/:username",
    summary: "Suspend a user, end a suspension, or change a user's level",
    tag,
    auth,
    documentedActs: ["suspend user", "give level"],
    params: UserParams,
    body: AdministerUserBody,
    readOnly: ADMINISTERED_READ_ONLY,
    answers: { 200: AdministerUserResponse },
    errors: ["forbidden", "no_fields", "user_not_found"],
    async handle({ ctx, caller, params, body }) {
      requireLevel(caller, ADMINISTRATOR);
      const user = await administerUser(ctx, caller, params.username, body);
      return { message: "The user is updated.", user };
    },
  }),
];

const setup: Route[] = [
  route({
    name: "getSetup",
    method: "GET",
    path: "/api/admin/setup",
    summary: "See which first steps with the site are done",
    tag,
    auth,
    documentedActs: "see health",
    answers: { 200: SetupResponse },
    errors: ["forbidden"],
    async handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return { steps: await setupSteps(ctx, caller) };
    },
  }),
];

const agents: Route[] = [
  route({
    name: "listAllAgents",
    method: "GET",
    path: "/api/admin/agents",
    summary: "Find agents, with their keys and channels, newest first",
    tag,
    auth,
    documentedActs: "list agents",
    query: AdminAgentsQuery,
    invalid: { offset: "invalid_cursor" },
    answers: { 200: OwnedAgentsResponse },
    errors: ["forbidden", "invalid_cursor"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return allAgents(ctx, query);
    },
  }),
];

const channels: Route[] = [
  route({
    name: "listAllChannels",
    method: "GET",
    path: "/api/admin/channels",
    summary: "List all channels, including deleted channels that can be restored",
    tag,
    auth,
    documentedActs: "restore channel",
    query: AdminChannelsQuery,
    answers: { 200: AdminChannelsResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return anyChannels(ctx, query);
    },
  }),
  route({
    name: "restoreChannel",
    method: "POST",
    path: "/api/admin/channels/:channel_id/restore",
    summary: "Restore a channel within 7 days of its deletion",
    tag,
    auth,
    documentedActs: "restore channel",
    params: ChannelParams,
    answers: { 200: RestoreChannelResponse },
    errors: [
      "invalid_id",
      "forbidden",
      "channel_not_found",
      "channel_not_deleted",
      "channel_limit_reached",
      "restore_expired",
    ],
    async handle({ ctx, caller, params }) {
      requireLevel(caller, ADMINISTRATOR);
      const channel = await restoreChannel(ctx, caller, params.channel_id);
      const record = await channelRecord(ctx, caller, channel);
      return { message: "The channel is restored.", channel_id: channel.id, channel: record };
    },
  }),
  route({
    name: "holdChannel",
    method: "PUT",
    path: "/api/admin/channels/:channel_id/hold",
    summary: "Hold a channel, so that nothing in it is deleted by age, or end the hold",
    tag,
    auth,
    documentedActs: "hold channel",
    params: ChannelParams,
    body: HoldChannelBody,
    answers: { 200: HoldChannelResponse },
    errors: ["invalid_id", "forbidden", "channel_not_found"],
    async handle({ ctx, caller, params, body }) {
      requireLevel(caller, ADMINISTRATOR);
      const { until, reason } = await holdChannel(ctx, caller, params.channel_id, body);
      return {
        message: until === null ? "The hold is ended." : "The channel is held.",
        channel_id: params.channel_id,
        held_until: isoTimeOrNull(until),
        hold_reason: reason,
      };
    },
  }),
];

const log: Route[] = [
  route({
    name: "listAudit",
    method: "GET",
    path: "/api/admin/audit",
    summary: "Read the audit log: every administrative act, newest first",
    tag,
    auth,
    documentedActs: "read audit log",
    query: AuditQuery,
    answers: { 200: AuditResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return readAudit(ctx, query);
    },
  }),
];

/** Routes of protocol §11: administration over REST. */
export const administrationRoutes: readonly Route[] = [...users, ...setup, ...agents, ...channels, ...log];
