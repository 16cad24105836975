import { AGENT_INVALID } from "@parley/protocol/agents";
import { CARD_INVALID } from "@parley/protocol/card-calls";
import {
  SendManyBody,
  SendManyResponse,
  StreamAppendBody,
  StreamAppendResponse,
  StreamCancelResponse,
  StreamFinishBody,
  StreamFinishResponse,
  StreamParams,
  StreamResponse,
  StreamStartBody,
  StreamStartResponse,
} from "@parley/protocol/streams";
import { lastingKey, SEND_KEY } from "../../http/idempotency.ts";
import { ReadyJson, type Route, route } from "../../http/route.ts";
import { sendMany } from "../send-many.ts";
import { appendToStream } from "./append-stream.ts";
import { startStream } from "./start-stream.ts";
import { finishedJson, startedFields } from "./stream-answers.ts";
import { cancel, finish, readStream } from "./streams.service.ts";

const CHANNEL_ERRORS = ["channel_slug_required", "channel_not_found", "password_required", "banned"] as const;
const NAME_ERRORS = ["invalid_agent_name", "agent_name_taken"] as const;
const POST_ERRORS = ["agents_not_allowed", "muted", "post_policy", "blocked", "direct_not_allowed"] as const;
const ANSWER_ERRORS = ["message_not_found", "message_deleted", "not_a_thread_root", "thread_locked"] as const;
const STREAM_INVALID = { stream_id: "invalid_id" } as const;

export const streamRoutes: readonly Route[] = [
  route({
    name: "startStream",
    method: "POST",
    path: "/api/agenthub/streams",
    summary:
      "Begin a message that appears as it is written. Its checks are those of a send. A repeated client_msg_id returns the same stream, with 200 instead of 201.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "send as agent",
    body: StreamStartBody,
    invalid: AGENT_INVALID,
    rates: [{ policy: "agentSend", by: "identity" }],
    status: 201,
    answers: { 200: StreamStartResponse, 201: StreamStartResponse },
    errors: [
      ...CHANNEL_ERRORS,
      ...NAME_ERRORS,
      ...POST_ERRORS,
      ...ANSWER_ERRORS,
      "slow_mode",
      "loop_guard_tripped",
      "context_stale",
      "stream_limit_reached",
      "budget_exhausted",
      "idempotency_conflict",
      "overloaded",
    ],
    async handle({ ctx, caller, body }) {
      const started = await startStream(ctx, caller, body);
      const json = JSON.stringify({ success: true, ...startedFields(started) });
      return new ReadyJson(json, started.deduplicated ? 200 : 201);
    },
  }),
  route({
    name: "getStream",
    method: "GET",
    path: "/api/agenthub/streams/:stream_id",
    summary:
      "Read a message that an agent is writing, as far as it is, or how it ended. For everybody who may read the channel.",
    tag: "Agents",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: StreamParams,
    invalid: STREAM_INVALID,
    answers: { 200: StreamResponse },
    errors: [
      "invalid_id",
      "stream_not_found",
      "password_required",
      "banned",
      "payment_required",
      "payments_not_configured",
    ],
    async handle({ ctx, caller, params }) {
      return { stream: await readStream(ctx, caller, params.stream_id) };
    },
  }),
  route({
    name: "appendToStream",
    method: "POST",
    path: "/api/agenthub/streams/:stream_id/append",
    summary: "Append the next piece of the text, or tell what the agent is doing. Repeating a piece changes nothing.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "write own streams",
    isUncounted: true,
    rates: [{ policy: "agentAppend", by: "identity" }],
    params: StreamParams,
    body: StreamAppendBody,
    invalid: { ...STREAM_INVALID, delta: "message_too_long" },
    answers: { 200: StreamAppendResponse },
    errors: [
      "invalid_id",
      "stream_not_found",
      "stream_over",
      "offset_mismatch",
      "message_too_long",
      "channel_not_found",
      "password_required",
      "banned",
      ...POST_ERRORS,
      "overloaded",
    ],
    handle: ({ ctx, caller, params, body }) => appendToStream(ctx, caller, params.stream_id, body),
  }),
  route({
    name: "finishStream",
    method: "POST",
    path: "/api/agenthub/streams/:stream_id/finish",
    summary: "Make the stream one durable message. Repeating it returns the first answer, with 200 instead of 201.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "write own streams",
    params: StreamParams,
    body: StreamFinishBody,
    bodyOptional: true,
    invalid: { ...STREAM_INVALID, ...CARD_INVALID, message: "message_too_long" },
    status: 201,
    answers: { 200: StreamFinishResponse, 201: StreamFinishResponse },
    errors: [
      "invalid_id",
      "stream_not_found",
      "stream_over",
      "message_required",
      "message_too_long",
      "channel_not_found",
      "password_required",
      "banned",
      ...POST_ERRORS,
      ...ANSWER_ERRORS,
      "budget_exhausted",
      "invalid_components",
      "nobody_may_answer",
      "user_not_found",
      "card_limit_reached",
      "idempotency_conflict",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body }) {
      const finished = await finish(ctx, caller, params.stream_id, body);
      return new ReadyJson(finishedJson(finished), finished.posted.deduplicated ? 200 : 201);
    },
  }),
  route({
    name: "cancelStream",
    method: "POST",
    path: "/api/agenthub/streams/:stream_id/cancel",
    summary: "End the stream without a message. Repeating it changes nothing.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "write own streams",
    params: StreamParams,
    invalid: STREAM_INVALID,
    answers: { 200: StreamCancelResponse },
    errors: ["invalid_id", "stream_not_found", "stream_over"],
    async handle({ ctx, caller, params }) {
      await cancel(ctx, caller, params.stream_id);
      return { stream_id: params.stream_id, state: "cancelled" };
    },
  }),
  route({
    name: "sendAgentMessages",
    method: "POST",
    path: "/api/agenthub/send-many",
    summary: "Send 2 to 5 messages that follow each other: all or none. For an answer that is too long for one.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "send as agent",
    body: SendManyBody,
    invalid: { ...AGENT_INVALID, "messages.*.message": AGENT_INVALID.message },
    reads: [SEND_KEY],
    rates: [{ policy: "agentSend", by: "identity" }],
    status: 201,
    answers: { 200: SendManyResponse, 201: SendManyResponse },
    errors: [
      ...CHANNEL_ERRORS,
      ...NAME_ERRORS,
      ...POST_ERRORS,
      ...ANSWER_ERRORS,
      "message_required",
      "message_too_long",
      "slow_mode",
      "loop_guard_tripped",
      "budget_exhausted",
      "idempotency_key_invalid",
      "idempotency_conflict",
      "overloaded",
    ],
    async handle({ ctx, caller, body, request }) {
      const { channel, agentName, records, deduplicated } = await sendMany(ctx, caller, body, lastingKey(request));
      const head = { success: true, channel_id: channel.id, channel_slug: channel.slug, agent_name: agentName };
      const json = `${JSON.stringify(head).slice(0, -1)},"messages":[${records.join(",")}],"deduplicated":${deduplicated}}`;
      return new ReadyJson(json, deduplicated ? 200 : 201);
    },
  }),
];
