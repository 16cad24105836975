import { ForwardBody, ForwardResponse, ForwardsQuery, ForwardsResponse } from "@parley/protocol/forwards";
import { MessageParams } from "@parley/protocol/messages";
import { lastingKey, SEND_KEY } from "../http/idempotency.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { forward } from "./forwards.service.ts";
import { sourcesFor } from "./sources.service.ts";

/** Messages that users send on to other channels (protocol §13.15). */
export const forwardRoutes: readonly Route[] = [
  route({
    name: "forwardMessage",
    method: "POST",
    path: "/api/messages/:messageId/forward",
    summary: "Forward a message to another channel, with a comment. Where it may not be copied, a link goes along.",
    tag: "Messages",
    auth: "session",
    documentedActs: ["forward message", "send"],
    params: MessageParams,
    body: ForwardBody,
    invalid: { comment: "message_too_long" },
    reads: [SEND_KEY],
    rates: [{ policy: "userSend", by: "identity" }],
    status: 201,
    answers: { 201: ForwardResponse, 200: ForwardResponse },
    errors: [
      "invalid_id",
      "message_not_found",
      "message_deleted",
      "cannot_forward",
      "channel_not_found",
      "password_required",
      "banned",
      "channel_id_required",
      "message_too_long",
      "muted",
      "not_a_member",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "slow_mode",
      "here_not_allowed",
      "here_rate_limited",
      "file_not_found",
      "file_not_ready",
      "file_blocked",
      "file_already_sent",
      "quota_reached",
      "idempotency_key_invalid",
      "idempotency_conflict",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body, request }) {
      const { id, seq, deduplicated, json } = await forward(ctx, caller, params.messageId, body, lastingKey(request));
      return new ReadyJson(
        `{"success":true,"message_id":${id},"seq":${seq},"deduplicated":${deduplicated},"chat_message":${json}}`,
        deduplicated ? 200 : 201,
      );
    },
  }),
  route({
    name: "listForwardSources",
    method: "GET",
    path: "/api/forwards",
    summary: "Find the sources of forwarded messages, as far as the caller may read them now.",
    tag: "Messages",
    auth: "guest",
    scope: "read",
    documentedActs: "find sources",
    query: ForwardsQuery,
    answers: { 200: ForwardsResponse },
    errors: ["session_required"],
    handle: ({ ctx, caller, query }) => sourcesFor(ctx, caller, query.message_ids.split(",").map(Number)),
  }),
];
