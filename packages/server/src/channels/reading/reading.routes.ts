import {
  ChannelParams,
  MarkReadBody,
  MarkReadResponse,
  OpenDirectBody,
  OpenDirectResponse,
} from "@parley/protocol/channels";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { openDirect } from "../direct/direct.service.ts";
import { markRead } from "./reading.service.ts";

/** Routes for read marks and direct conversations (protocol §3). */
export const readingRoutes: readonly Route[] = [
  route({
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
    method: "POST",
    path: "/api/direct",
    summary: "Open the direct conversation with another user",
    tag: "Channels",
    auth: "session",
    documentedActs: "open conversation",
    body: OpenDirectBody,
    status: 201,
    answers: { 200: OpenDirectResponse, 201: OpenDirectResponse },
    errors: ["user_not_found", "blocked", "user_blocked"],
    idempotent: true,
    async handle({ ctx, caller, body }) {
      const { channel, isNew } = await openDirect(ctx, caller, body.username);
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
