import { ChannelParams } from "@parley/protocol/channels";
import { repetition } from "@parley/protocol/values";
import {
  CreateIncomingWebhookBody,
  HOOK_BODY_BYTES,
  HookParams,
  HookResponse,
  IncomingWebhookParams,
  IncomingWebhookResponse,
  IncomingWebhooksResponse,
  IncomingWebhookUrlResponse,
  UpdateIncomingWebhookBody,
  WebhookDeletedResponse,
} from "@parley/protocol/webhooks";
import { Type } from "typebox";
import type { AppContext } from "../../context.ts";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import {
  createIncoming,
  deleteIncoming,
  listIncoming,
  postByHook,
  rotateIncoming,
  updateIncoming,
} from "./incoming.service.ts";

const tag = "Webhooks";
/** Errors for a channel the caller may not manage. */
const REFUSED = ["invalid_id", "channel_not_found", "password_required", "banned", "forbidden"] as const;
const LIST = "/api/channels/:channel_id/incoming-webhooks";
const ONE = `${LIST}/:incoming_webhook_id`;

/** The incoming webhooks of channels (protocol §12.5). */
export const incomingRoutes: readonly Route[] = [
  route({
    name: "listIncomingWebhooks",
    method: "GET",
    path: LIST,
    summary: "List a channel's incoming webhooks.",
    tag,
    auth: "session",
    documentedActs: "manage incoming webhooks",
    params: ChannelParams,
    answers: { 200: IncomingWebhooksResponse },
    errors: REFUSED,
    handle: async ({ ctx, caller, params }) => ({
      incoming_webhooks: await listIncoming(ctx, caller, params.channel_id),
    }),
  }),
  route({
    name: "createIncomingWebhook",
    method: "POST",
    path: LIST,
    summary: "Create an incoming webhook. Its address is shown only in this answer.",
    tag,
    auth: "session",
    documentedActs: "manage incoming webhooks",
    params: ChannelParams,
    body: CreateIncomingWebhookBody,
    invalid: { name: "invalid_webhook_name" },
    rates: [{ policy: "webhooks", by: "identity" }],
    status: 201,
    answers: { 201: IncomingWebhookUrlResponse, 200: repetition(IncomingWebhookUrlResponse, "url") },
    errors: [...REFUSED, "invalid_webhook_name", "webhook_limit_reached"],
    idempotent: true,
    secrets: ["url"],
    async handle({ ctx, caller, params, body, request }) {
      const { record, path } = await createIncoming(ctx, caller, params.channel_id, body);
      return { incoming_webhook: record, url: addressOf(ctx, request, path) };
    },
  }),
  route({
    name: "updateIncomingWebhook",
    method: "PUT",
    path: ONE,
    summary: "Change an incoming webhook's name, whether it is enabled, and whether it may mention.",
    tag,
    auth: "session",
    documentedActs: "manage incoming webhooks",
    params: IncomingWebhookParams,
    body: UpdateIncomingWebhookBody,
    invalid: { name: "invalid_webhook_name" },
    answers: { 200: IncomingWebhookResponse },
    errors: [...REFUSED, "webhook_not_found", "invalid_webhook_name", "no_fields"],
    handle: async ({ ctx, caller, params, body }) => ({
      incoming_webhook: await updateIncoming(ctx, caller, refOf(params), body),
    }),
  }),
  route({
    name: "deleteIncomingWebhook",
    method: "DELETE",
    path: ONE,
    summary: "Delete an incoming webhook. Its messages stay.",
    tag,
    auth: "session",
    documentedActs: "manage incoming webhooks",
    params: IncomingWebhookParams,
    answers: { 200: WebhookDeletedResponse },
    errors: [...REFUSED, "webhook_not_found"],
    async handle({ ctx, caller, params }) {
      await deleteIncoming(ctx, caller, refOf(params));
      return { message: "The webhook is deleted." };
    },
  }),
  route({
    name: "rotateIncomingWebhook",
    method: "POST",
    path: `${ONE}/rotate`,
    summary: "Give an incoming webhook a new address. The old one ends at once.",
    tag,
    auth: "session",
    documentedActs: "manage incoming webhooks",
    params: IncomingWebhookParams,
    rates: [{ policy: "webhooks", by: "identity" }],
    answers: { 200: IncomingWebhookUrlResponse },
    errors: [...REFUSED, "webhook_not_found"],
    async handle({ ctx, caller, params, request }) {
      const { record, path } = await rotateIncoming(ctx, caller, refOf(params));
      return { incoming_webhook: record, url: addressOf(ctx, request, path) };
    },
  }),
  route({
    name: "postByWebhook",
    method: "POST",
    path: "/api/hooks/:hook",
    summary: "Post into the channel of an incoming webhook, in the own form or in Slack's.",
    tag,
    auth: "open",
    documentedActs: "post by webhook",
    params: HookParams,
    bodyBytes: HOOK_BODY_BYTES,
    status: 201,
    answers: { 201: HookResponse, 200: HookResponse },
    otherForms: {
      200: { "text/plain": Type.Literal("ok", { description: "The answer to other forms than the own." }) },
    },
    errors: [
      "hook_not_found",
      "hook_disabled",
      "message_required",
      "unsupported_media_type",
      "invalid_json",
      "message_not_found",
      "message_deleted",
      "not_a_thread_root",
      "thread_locked",
      "idempotency_conflict",
      "overloaded",
    ],
    async handle({ ctx, params, request }) {
      const { posted, isOwnForm } = await postByHook(ctx, params.hook, request);
      if (!isOwnForm) return new Response("ok", { headers: { "content-type": "text/plain; charset=utf-8" } });
      const { id, seq, deduplicated, json } = posted;
      const head = JSON.stringify({ success: true, message_id: id, seq, deduplicated });
      return new ReadyJson(`${head.slice(0, -1)},"chat_message":${json}}`, deduplicated ? 200 : 201);
    },
  }),
];

const refOf = ({ channel_id, incoming_webhook_id }: { channel_id: number; incoming_webhook_id: number }) => ({
  channelId: channel_id,
  hookId: incoming_webhook_id,
});

const addressOf = (ctx: AppContext, request: Request, path: string): string =>
  `${ctx.config.publicUrl ?? new URL(request.url).origin}${path}`;
