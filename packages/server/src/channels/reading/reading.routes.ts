import {
  ChannelParams,
  MarkReadBody,
  MarkReadResponse,
  OpenDirectBody,
  OpenDirectResponse,
} from "@parley/protocol/channels";
import { MarkUnreadBody } from "@parley/protocol/reading";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { type Opened, openDirect } from "../direct/direct.service.ts";
import { openDirectWithAgent } from "../direct/direct-agents.ts";
import { markRead, markUnread } from "./reading.service.ts";

/** Routes for read marks and direct conversations (protocol §3). */
export const readingRoutes: readonly Route[] = [
  route({
    name: "markRead",
    method: "POST",
    path: "/api/channels/:channel_id/read",
    summary: "Mark a channel as read",
    tag: "Channels",
    auth: "session",
    documentedActs: "mark as read",
    params: ChannelParams,
    body: MarkReadBody,
    bodyOptional: true,
    answers: { 200: MarkReadResponse },
    errors: ["invalid_id", "channel_not_found", "password_required", "banned", "not_a_member", "overloaded"],
    handle: ({ ctx, caller, params, body }) => markRead(ctx, caller, { id: params.channel_id }, body.seq ?? null),
  }),
  route({
    name: "markUnread",
    method: "POST",
    path: "/api/channels/:channel_id/unread",
    summary: "Mark a channel as unread from one of its messages on",
    tag: "Channels",
    auth: "session",
    documentedActs: "mark as read",
    params: ChannelParams,
    body: MarkUnreadBody,
    answers: { 200: MarkReadResponse },
    errors: ["invalid_id", "channel_not_found", "password_required", "banned", "not_a_member"],
    handle: ({ ctx, caller, params, body }) => markUnread(ctx, caller, { id: params.channel_id }, body.seq),
  }),
  route({
    name: "openDirect",
    method: "POST",
    path: "/api/direct",
    summary: "Open the direct conversation with another user, or with an agent that talks with the caller",
    tag: "Channels",
    auth: "session",
    documentedActs: ["open conversation", "talk with agent"],
    body: OpenDirectBody,
    status: 201,
    answers: { 200: OpenDirectResponse, 201: OpenDirectResponse },
    errors: ["user_not_found", "agent_not_found", "blocked", "user_blocked", "direct_not_allowed"],
    idempotent: true,
    async handle({ ctx, caller, body }) {
      const { channel, isNew } = await open(ctx, caller, body);
      const answer = {
        success: true,
        message: isNew ? "The conversation is open." : "The conversation already exists.",
        channel_id: channel.id,
        channel_slug: channel.channel_slug,
        channel,
        ...(isNew ? {} : { deduplicated: true }),
      };
      return new ReadyJson(JSON.stringify(answer), isNew ? 201 : 200);
    },
  }),
];

/** Errors: `invalid_request` unless exactly one of the two names is given, those of the conversation. */
async function open(ctx: AppContext, caller: UserIdentity, body: OpenDirectBody): Promise<Opened> {
  const { username, agent_name } = body;
  if (username != null && agent_name == null) return openDirect(ctx, caller, username);
  if (agent_name != null && username == null) return openDirectWithAgent(ctx, caller, agent_name);
  throw fail("invalid_request", {
    details: [{ path: username == null ? "username" : "agent_name", message: "send either username or agent_name" }],
  });
}
