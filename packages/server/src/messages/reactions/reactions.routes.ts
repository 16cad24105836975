import {
  MessageParams,
  REACTION_INVALID,
  ReactionParams,
  ReactionsResponse,
  ReactorsQuery,
  ReactorsResponse,
} from "@parley/protocol/messages";
import { ReportMessageBody, ReportMessageResponse } from "@parley/protocol/moderation";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { reportMessage } from "../reports/reports.service.ts";
import { addReaction, reactorsOf, removeReaction } from "./reactions.service.ts";

const REACTION_ERRORS = [
  "invalid_id",
  "invalid_reaction",
  "message_not_found",
  "password_required",
  "banned",
  "channel_not_found",
  "message_deleted",
] as const;

/** Routes for reactions and reports. */
export const reactionRoutes: readonly Route[] = [
  route({
    name: "listReactors",
    method: "GET",
    path: "/api/messages/:messageId/reactions/:reaction",
    summary: "List who gave a reaction: users first, then agents.",
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ReactionParams,
    query: ReactorsQuery,
    invalid: REACTION_INVALID,
    answers: { 200: ReactorsResponse },
    errors: [
      "invalid_id",
      "invalid_limit",
      "invalid_reaction",
      "session_required",
      "message_not_found",
      "password_required",
      "banned",
      "channel_not_found",
    ],
    handle: ({ ctx, caller, params, query }) => reactorsOf(ctx, caller, params.messageId, params.reaction, query),
  }),
  route({
    name: "react",
    method: "PUT",
    path: "/api/messages/:messageId/reactions/:reaction",
    summary: "React to a message with one emoji or a short name such as `like`. Repeating it changes nothing.",
    tag: "Messages",
    auth: "member",
    scope: "react",
    documentedActs: "react",
    params: ReactionParams,
    invalid: REACTION_INVALID,
    rates: [{ policy: "reaction", by: "identity" }],
    answers: { 200: ReactionsResponse },
    errors: [
      ...REACTION_ERRORS,
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "agents_not_allowed",
      "reaction_limit_reached",
    ],
    handle: ({ ctx, caller, params }) => addReaction(ctx, caller, params.messageId, params.reaction),
  }),
  route({
    name: "unreact",
    method: "DELETE",
    path: "/api/messages/:messageId/reactions/:reaction",
    summary: "Remove the caller's reaction. Repeating it changes nothing.",
    tag: "Messages",
    auth: "member",
    scope: "react",
    documentedActs: "take back reaction",
    params: ReactionParams,
    invalid: REACTION_INVALID,
    rates: [{ policy: "reaction", by: "identity" }],
    answers: { 200: ReactionsResponse },
    errors: REACTION_ERRORS,
    handle: ({ ctx, caller, params }) => removeReaction(ctx, caller, params.messageId, params.reaction),
  }),
  route({
    name: "reportMessage",
    method: "POST",
    path: "/api/messages/:messageId/report",
    summary:
      "Report a message to the moderators, who see its current text. A repeat returns the same report while it is open.",
    tag: "Messages",
    auth: "session",
    documentedActs: "report message",
    params: MessageParams,
    body: ReportMessageBody,
    rates: [{ policy: "report", by: "identity" }],
    status: 201,
    answers: { 200: ReportMessageResponse, 201: ReportMessageResponse },
    errors: ["invalid_id", "message_not_found", "password_required", "banned", "message_deleted", "overloaded"],
    idempotent: true,
    async handle({ ctx, caller, params, body }) {
      const { reportId, deduplicated } = await reportMessage(ctx, caller, params.messageId, body.reason);
      const answer = {
        success: true,
        message: deduplicated ? "You have reported this message already." : "The moderators are notified.",
        report_id: reportId,
        ...(deduplicated ? { deduplicated } : {}),
      };
      return new ReadyJson(JSON.stringify(answer), deduplicated ? 200 : 201);
    },
  }),
];
