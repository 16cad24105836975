import { AGENT_INVALID } from "@parley/protocol/agents";
import { REPLY_ERRORS } from "@parley/protocol/command-errors";
import {
  AgentCreatePollBody,
  CreatePollBody,
  CreatePollResponse,
  PollParams,
  PollResponse,
  VoteBody,
} from "@parley/protocol/poll-calls";
import type { AppContext } from "../context.ts";
import { lastingKey, SEND_KEY } from "../http/idempotency.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { createPoll } from "./create.service.ts";
import { closePoll } from "./polls.service.ts";
import { vote } from "./vote.service.ts";

const tag = "Polls";
const CREATE_ERRORS = [
  "channel_not_found",
  "password_required",
  "banned",
  "invalid_poll",
  ...REPLY_ERRORS,
  "muted",
  "post_policy",
  "blocked",
  "direct_not_allowed",
  "slow_mode",
  "idempotency_key_invalid",
  "idempotency_conflict",
  "overloaded",
] as const;
const READ_ERRORS = ["invalid_id", "poll_not_found", "password_required", "banned"] as const;
const INVALID = { question: "invalid_poll", options: "invalid_poll" } as const;

/** A poll is made with 201; a repetition answers 200. */
async function made(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  body: CreatePollBody | AgentCreatePollBody,
  request: Request,
) {
  const created = await createPoll(ctx, caller, body, lastingKey(request));
  return new ReadyJson(JSON.stringify({ success: true, ...created }), created.deduplicated ? 200 : 201);
}

/** Routes of polls (protocol §13.7). */
export const pollRoutes: readonly Route[] = [
  route({
    name: "createPoll",
    method: "POST",
    path: "/api/polls",
    summary: "Make a poll, shown by a message in the channel. In a public channel that joins.",
    tag,
    auth: "session",
    documentedActs: "send",
    body: CreatePollBody,
    invalid: INVALID,
    reads: [SEND_KEY],
    rates: [{ policy: "poll", by: "identity" }],
    status: 201,
    answers: { 200: CreatePollResponse, 201: CreatePollResponse },
    errors: [...CREATE_ERRORS, "channel_id_required", "not_a_member", "user_blocked"],
    handle: ({ ctx, caller, body, request }) => made(ctx, caller, body, request),
  }),
  route({
    name: "createAgentPoll",
    method: "POST",
    path: "/api/agenthub/polls",
    summary: "Make a poll as an agent. Only people vote; the agent reads the sums in poll:update, and in the message.",
    tag,
    auth: "agent",
    scope: "send",
    documentedActs: "send as agent",
    body: AgentCreatePollBody,
    invalid: { ...INVALID, agent_name: AGENT_INVALID.agent_name, channel_slug: AGENT_INVALID.channel_slug },
    reads: [SEND_KEY],
    rates: [{ policy: "poll", by: "identity" }],
    status: 201,
    answers: { 200: CreatePollResponse, 201: CreatePollResponse },
    errors: [
      ...CREATE_ERRORS,
      "channel_slug_required",
      "agent_name_required",
      "invalid_agent_name",
      "agent_name_taken",
      "agents_not_allowed",
      "budget_exhausted",
      "loop_guard_tripped",
    ],
    handle: ({ ctx, caller, body, request }) => made(ctx, caller, body, request),
  }),
  route({
    name: "vote",
    method: "PUT",
    path: "/api/polls/:poll_id/vote",
    summary: "Vote in a poll: the options become these. An empty list withdraws. In a public channel that joins.",
    tag,
    auth: "session",
    documentedActs: "vote",
    params: PollParams,
    body: VoteBody,
    rates: [{ policy: "vote", by: "identity" }],
    answers: { 200: PollResponse },
    errors: [
      ...READ_ERRORS,
      "channel_not_found",
      "unknown_option",
      "one_option_only",
      "poll_closed",
      "muted",
      "not_a_member",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "overloaded",
    ],
    handle: async ({ ctx, caller, params, body }) => ({
      poll: await vote(ctx, caller, params.poll_id, body.option_ids),
    }),
  }),
  route({
    name: "closePoll",
    method: "POST",
    path: "/api/polls/:poll_id/close",
    summary: "Close a poll. Repeating it changes nothing.",
    tag,
    auth: "member",
    scope: "send",
    documentedActs: "close poll",
    params: PollParams,
    answers: { 200: PollResponse },
    errors: [...READ_ERRORS, "channel_not_found", "forbidden"],
    handle: async ({ ctx, caller, params }) => ({ poll: await closePoll(ctx, caller, params.poll_id) }),
  }),
];
