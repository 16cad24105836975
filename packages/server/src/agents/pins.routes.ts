import { AGENT_INVALID, PinBody } from "@parley/protocol/agents";
import { MessageParams, PinResponse } from "@parley/protocol/messages";
import { type Route, route } from "../http/route.ts";
import { pinMessage, unpinMessage } from "../messages/pins.service.ts";
import { bindAgentName } from "./name-binding.ts";

const PIN_ERRORS = [
  "channel_not_found",
  "password_required",
  "banned",
  "message_not_found",
  "forbidden",
  "message_deleted",
  "blocked",
  "user_blocked",
  "direct_not_allowed",
  "muted",
  "agents_not_allowed",
] as const;

/** Pinning and unpinning, for users and agents (protocol §4). An agent names itself, so the routes are here. */
export const pinRoutes: readonly Route[] = [
  route({
    name: "pinMessage",
    method: "POST",
    path: "/api/messages/:messageId/pin",
    summary: "Pin a message.",
    tag: "Messages",
    auth: "member",
    scope: "send",
    documentedActs: "pin",
    params: MessageParams,
    body: PinBody,
    bodyOptional: true,
    invalid: { agent_name: AGENT_INVALID.agent_name },
    rates: [{ policy: "pin", by: "identity" }],
    answers: { 200: PinResponse },
    errors: [...PIN_ERRORS, "pin_limit_reached", "agent_name_required", "invalid_agent_name", "agent_name_taken"],
    handle({ ctx, caller, params, body: { agent_name: name } }) {
      if (caller.kind === "user" || name == null) return pinMessage(ctx, caller, params.messageId);
      return pinMessage(ctx, caller, params.messageId, () => bindAgentName(ctx, caller.agentId, name));
    },
  }),
  route({
    name: "unpinMessage",
    method: "POST",
    path: "/api/messages/:messageId/unpin",
    summary: "Unpin a message.",
    tag: "Messages",
    auth: "member",
    scope: "send",
    documentedActs: "pin",
    params: MessageParams,
    rates: [{ policy: "pin", by: "identity" }],
    answers: { 200: PinResponse },
    errors: PIN_ERRORS,
    handle: ({ ctx, caller, params }) => unpinMessage(ctx, caller, params.messageId),
  }),
];
