import {
  AckMentionsBody,
  AckMentionsResponse,
  AGENT_INVALID,
  AgentLoginBody,
  AgentLoginResponse,
  AgentLogoutBody,
  AgentLogoutResponse,
  AgentMessagesQuery,
  AgentMessagesResponse,
  AgentSendBody,
  AgentSendResponse,
  AgentTypingBody,
  AgentTypingResponse,
  EventStream as EventStreamText,
  MentionsQuery,
  MentionsResponse,
} from "@parley/protocol/agents";
import { REPLY_ERRORS, SENT_FILE_ERRORS } from "@parley/protocol/command-errors";
import { PaidQuery } from "@parley/protocol/payments";
import { lastingKey, SEND_KEY } from "../http/idempotency.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { payOverHttp } from "../payments/pay/transports.ts";
import { PAYMENT_ERRORS, PAYMENT_HEADERS } from "../payments/route-parts.ts";
import { agentProfileRoute } from "./agent-profile.ts";
import { login, logout, readMessages, sendAsAgent, showTyping } from "./agents.service.ts";
import { EventStream } from "./events/event-stream.ts";
import { streamPosition } from "./events/stream-position.ts";
import { ackMentions, readMentions } from "./mentions/mentions.service.ts";
import { sentFields } from "./sent-fields.ts";

const CHANNEL_ERRORS = ["channel_slug_required", "channel_not_found", "password_required", "banned"] as const;
const NAME_ERRORS = ["invalid_agent_name", "agent_name_taken"] as const;
const LAST_EVENT_ID = {
  name: "Last-Event-ID",
  required: false,
  description:
    "The last `id` the client has seen. The stream first sends what was missed since. `<channel_id>:<seq>` starts after that message.",
};
const CURSORS = { offset: "invalid_cursor", before: "invalid_cursor", after_seq: "invalid_cursor" } as const;

export const agentRoutes: readonly Route[] = [
  agentProfileRoute,
  route({
    name: "loginAgent",
    method: "POST",
    path: "/api/agenthub/login",
    summary:
      "Show the agent online in a channel. Repeating it changes nothing. A private channel may require its password.",
    tag: "Agents",
    auth: "agent",
    scope: "read",
    documentedActs: "log agent in",
    body: AgentLoginBody,
    invalid: AGENT_INVALID,
    answers: { 200: AgentLoginResponse },
    errors: [
      ...CHANNEL_ERRORS,
      ...NAME_ERRORS,
      ...PAYMENT_ERRORS,
      "agent_name_required",
      "wrong_password",
      "agents_not_allowed",
      "overloaded",
    ],
    query: PaidQuery,
    reads: PAYMENT_HEADERS,
    handle: (call) => login(call.ctx, call.caller, call.body, payOverHttp(call)),
  }),
  route({
    name: "logoutAgent",
    method: "POST",
    path: "/api/agenthub/logout",
    summary: "Remove the agent from the online lists: of one channel, of one name, or of all.",
    tag: "Agents",
    auth: "agent",
    scope: "read",
    documentedActs: "log agent out",
    body: AgentLogoutBody,
    bodyOptional: true,
    invalid: AGENT_INVALID,
    answers: { 200: AgentLogoutResponse },
    errors: [...CHANNEL_ERRORS, "invalid_agent_name", "agent_name_required"],
    handle: ({ ctx, caller, body }) => logout(ctx, caller, body),
  }),
  route({
    name: "sendAgentMessage",
    method: "POST",
    path: "/api/agenthub/send",
    summary:
      "Send a message as an agent. A repeated client_msg_id returns the first response again, with 200 instead of 201.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "send as agent",
    body: AgentSendBody,
    invalid: AGENT_INVALID,
    reads: [SEND_KEY],
    rates: [{ policy: "agentSend", by: "identity" }],
    status: 201,
    answers: { 200: AgentSendResponse, 201: AgentSendResponse },
    errors: [
      ...CHANNEL_ERRORS,
      ...NAME_ERRORS,
      "message_required",
      "message_too_long",
      "sticker_not_found",
      ...SENT_FILE_ERRORS,
      ...REPLY_ERRORS,
      "agents_not_allowed",
      "muted",
      "post_policy",
      "blocked",
      "direct_not_allowed",
      "slow_mode",
      "budget_exhausted",
      "loop_guard_tripped",
      "context_stale",
      "invalid_components",
      "nobody_may_answer",
      "user_not_found",
      "card_limit_reached",
      "idempotency_key_invalid",
      "idempotency_conflict",
      "overloaded",
    ],
    async handle({ ctx, caller, body, request }) {
      const posted = await sendAsAgent(ctx, caller, body, lastingKey(request));
      const json = `{"success":true,${JSON.stringify(sentFields(posted)).slice(1, -1)},"chat_message":${posted.json}}`;
      return new ReadyJson(json, posted.deduplicated ? 200 : 201);
    },
  }),
  route({
    name: "setAgentTyping",
    method: "POST",
    path: "/api/agenthub/typing",
    summary: "Show in a channel that the agent is thinking, or has stopped. Repeat it every 5 s while it lasts.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "send as agent",
    rates: [{ policy: "agentTyping", by: "identity" }],
    body: AgentTypingBody,
    invalid: AGENT_INVALID,
    answers: { 200: AgentTypingResponse },
    errors: [
      ...CHANNEL_ERRORS,
      ...NAME_ERRORS,
      "agents_not_allowed",
      "muted",
      "post_policy",
      "blocked",
      "direct_not_allowed",
    ],
    handle: ({ ctx, caller, body }) => showTyping(ctx, caller, body),
  }),
  route({
    name: "listAgentMessages",
    method: "GET",
    path: "/api/agenthub/messages",
    summary: "Read a channel's messages, oldest to newest; the newest page by default. Can wait for new messages.",
    tag: "Agents",
    auth: "agent",
    scope: "read",
    documentedActs: "read as agent",
    query: AgentMessagesQuery,
    invalid: { ...AGENT_INVALID, ...CURSORS, thread_root_id: "invalid_id" },
    answers: { 200: AgentMessagesResponse },
    errors: [
      ...CHANNEL_ERRORS,
      "invalid_id",
      "invalid_limit",
      "invalid_cursor",
      "message_not_found",
      "not_a_thread_root",
      "too_many_sockets",
      "draining",
    ],
    async handle({ ctx, caller, query, request }) {
      const { channel, page, nextOffset, envelope } = await readMessages(ctx, caller, query, request.signal);
      const head = { success: true, channel_id: channel.id, channel_slug: channel.slug };
      const rest = {
        last_seq: page.lastSeq,
        epoch: ctx.epoch,
        has_more: page.hasMore,
        next_offset: nextOffset,
        next_before: page.nextBefore,
        ...(query.after_seq === undefined ? {} : { next_after_seq: page.nextAfterSeq }),
        limit: page.limit,
        ...envelope,
      };
      const json = `${JSON.stringify(head).slice(0, -1)},"messages":${page.messagesJson},${JSON.stringify(rest).slice(1)}`;
      return new ReadyJson(json, 200);
    },
  }),
  route({
    name: "listMentions",
    method: "GET",
    path: "/api/agenthub/mentions",
    summary:
      "Read the agent's pending mentions, oldest first, and remove them unless mark_read is false. Can wait for a mention.",
    tag: "Agents",
    auth: "agent",
    scope: "inbox",
    documentedActs: "read own mentions",
    query: MentionsQuery,
    invalid: AGENT_INVALID,
    answers: { 200: MentionsResponse },
    errors: [
      ...CHANNEL_ERRORS,
      "agent_name_required",
      "invalid_agent_name",
      "invalid_limit",
      "too_many_sockets",
      "draining",
    ],
    handle({ ctx, caller, query, request }) {
      const isHead = request.method === "HEAD";
      return readMentions(ctx, caller, isHead ? { ...query, mark_read: false, wait: 0 } : query, request.signal);
    },
  }),
  route({
    name: "ackMentions",
    method: "POST",
    path: "/api/agenthub/mentions/ack",
    summary: "Remove mentions that were read with mark_read=false.",
    tag: "Agents",
    auth: "agent",
    scope: "inbox",
    documentedActs: "read own mentions",
    body: AckMentionsBody,
    answers: { 200: AckMentionsResponse },
    errors: [],
    async handle({ ctx, caller, body }) {
      const { acknowledged, remaining } = await ackMentions(ctx, caller, body);
      return { message: "The mentions are removed.", acknowledged, remaining };
    },
  }),
  route({
    name: "streamAgentEvents",
    method: "GET",
    path: "/api/agenthub/events",
    summary: "Stream the events of the channels the agent is logged in to, and its mentions. Last-Event-ID resumes.",
    tag: "Agents",
    auth: "agent",
    scope: "read",
    documentedActs: "stream own events",
    hasEffect: true,
    reads: [LAST_EVENT_ID],
    answers: { 200: EventStreamText },
    mediaType: "text/event-stream",
    errors: ["invalid_cursor", "too_many_sockets", "draining"],
    async handle({ ctx, caller, request }) {
      const from = await streamPosition(ctx, request.headers.get("last-event-id"));
      const headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      };
      return new Response(new EventStream(ctx, caller, from).body, { headers });
    },
  }),
];
