import {
  InteractionParams,
  InteractionQuery,
  InteractionResponse,
  PressBody,
  PressResponse,
  ReceiptKeysResponse,
} from "@parley/protocol/card-calls";
import { type Route, route } from "../../http/route.ts";
import { cancelInteraction } from "../../messages/cards/cancel.service.ts";
import { press } from "../../messages/cards/press.service.ts";
import { publishedKeys } from "../../messages/cards/receipts.ts";
import { readInteraction } from "./cards.service.ts";

const READ_ERRORS = [
  "invalid_id",
  "interaction_not_found",
  "password_required",
  "payment_required",
  "payments_not_configured",
  "banned",
] as const;

export const cardRoutes: readonly Route[] = [
  route({
    name: "getInteraction",
    method: "GET",
    path: "/api/interactions/:interaction_id",
    summary: "Read the question of a card and its answers so far. The agent that asked can wait for the end.",
    tag: "Cards",
    auth: "guest",
    scope: "cards",
    documentedActs: "read card",
    params: InteractionParams,
    query: InteractionQuery,
    answers: { 200: InteractionResponse },
    errors: [...READ_ERRORS, "session_required", "too_many_sockets", "draining"],
    handle({ ctx, caller, params, query, request }) {
      const wait = request.method === "HEAD" ? 0 : query.wait;
      return readInteraction(ctx, caller, params.interaction_id, { wait, signal: request.signal });
    },
  }),
  route({
    name: "pressCard",
    method: "POST",
    path: "/api/interactions/:interaction_id/press",
    summary: "Answer a card. The same press again has the same answer. Answering in a public channel joins it.",
    tag: "Cards",
    auth: "session",
    documentedActs: "press card",
    params: InteractionParams,
    body: PressBody,
    invalid: { action_id: "unknown_action", value: "unknown_action" },
    rates: [{ policy: "press", by: "identity" }],
    answers: { 200: PressResponse },
    errors: [
      ...READ_ERRORS,
      "unknown_action",
      "not_allowed_to_answer",
      "interaction_closed",
      "interaction_expired",
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
    ],
    async handle({ ctx, caller, params, body }) {
      return { interaction: await press(ctx, caller, params.interaction_id, body) };
    },
  }),
  route({
    name: "cancelInteraction",
    method: "POST",
    path: "/api/interactions/:interaction_id/cancel",
    summary: "Cancel a question that is still open. Repeating it changes nothing.",
    tag: "Cards",
    auth: "agent",
    scope: "cards",
    documentedActs: "cancel card",
    params: InteractionParams,
    answers: { 200: InteractionResponse },
    errors: ["invalid_id", "interaction_not_found", "channel_not_in_scope", "interaction_closed"],
    async handle({ ctx, caller, params, request }) {
      await cancelInteraction(ctx, caller, params.interaction_id);
      return readInteraction(ctx, caller, params.interaction_id, { signal: request.signal });
    },
  }),
  route({
    name: "getReceiptKeys",
    method: "GET",
    path: "/.well-known/parley-keys.json",
    summary: "The public keys by which receipts of cards can be verified.",
    tag: "Cards",
    auth: "open",
    documentedActs: "see the service",
    // The first call makes the key.
    hasEffect: true,
    answers: { 200: ReceiptKeysResponse },
    errors: [],
    handle: ({ ctx }) => publishedKeys(ctx),
  }),
];
