import {
  AgentSessionsQuery,
  AgentSessionsResponse,
  SetSessionBody,
  SetSessionResponse,
} from "@parley/protocol/agent-sessions";
import { AGENT_INVALID } from "@parley/protocol/agents";
import { ChannelParams } from "@parley/protocol/channels";
import { type Route, route } from "../../http/route.ts";
import { sessionsIn, sessionsOf, setSession } from "./sessions.service.ts";

const { agent_name, channel_slug } = AGENT_INVALID;

/** Routes of what agents do in threads (protocol §16.4). */
export const sessionRoutes: readonly Route[] = [
  route({
    name: "setAgentSession",
    method: "PUT",
    path: "/api/agenthub/sessions",
    summary: "Say what the agent does in a thread: a title, and whether it works, is done or has failed.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "show own work",
    body: SetSessionBody,
    invalid: { agent_name, channel_slug },
    rates: [{ policy: "agentSession", by: "identity" }],
    answers: { 200: SetSessionResponse },
    errors: [
      "channel_slug_required",
      "channel_not_found",
      "password_required",
      "banned",
      "agents_not_allowed",
      "muted",
      "post_policy",
      "blocked",
      "direct_not_allowed",
      "agent_name_required",
      "invalid_agent_name",
      "agent_name_taken",
      "message_not_found",
      "message_deleted",
      "not_a_thread_root",
      "thread_locked",
      "session_limit_reached",
    ],
    async handle({ ctx, caller, body }) {
      return { session: await setSession(ctx, caller, body) };
    },
  }),
  route({
    name: "listChannelSessions",
    method: "GET",
    path: "/api/channels/:channel_id/sessions",
    summary: "List what agents do in the threads of a channel, newest first.",
    tag: "Channels",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    query: AgentSessionsQuery,
    answers: { 200: AgentSessionsResponse },
    errors: ["session_required", "invalid_id", "channel_not_found", "password_required", "banned"],
    handle: ({ ctx, caller, params, query }) => sessionsIn(ctx, caller, params.channel_id, query),
  }),
  route({
    name: "listAgentSessions",
    method: "GET",
    path: "/api/agents/sessions",
    summary: "List what agents do in the caller's channels, newest first; to an agent also what it does elsewhere.",
    tag: "Agents",
    auth: "member",
    scope: "read",
    documentedActs: "see agents at work",
    query: AgentSessionsQuery,
    answers: { 200: AgentSessionsResponse },
    errors: [],
    handle: ({ ctx, caller, query }) => sessionsOf(ctx, caller, query),
  }),
];
