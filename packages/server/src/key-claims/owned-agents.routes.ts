import { AGENT_INVALID } from "@parley/protocol/agents";
import * as wire from "@parley/protocol/claims";
import { reauthenticate } from "../accounts/profiles/profiles.service.ts";
import { type Route, route } from "../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { disown, newAgent, ownedAgents, updateAgent } from "./owned-agents.service.ts";

const tag = "Agents";

/** Routes with which owners see and change their agents (protocol §5). */
export const ownedAgentRoutes: readonly Route[] = [
  route({
    name: "listAgents",
    method: "GET",
    path: "/api/agents",
    summary: "List the caller's agents with their keys, channels and messages, newest first.",
    tag,
    auth: "session",
    documentedActs: "list own agents",
    query: wire.OwnedAgentsQuery,
    invalid: { offset: "invalid_cursor" },
    answers: { 200: wire.OwnedAgentsResponse },
    errors: ["invalid_cursor"],
    handle: ({ ctx, caller, query }) => ownedAgents(ctx, caller, query),
  }),
  route({
    name: "createAgent",
    method: "POST",
    path: "/api/agents",
    summary: "Create an agent with its name and first key. The key is shown only in this answer.",
    tag,
    auth: "session",
    documentedActs: "create agent",
    rates: [{ policy: "agentCreate", by: "identity" }],
    body: wire.CreateAgentBody,
    invalid: { agent_name: AGENT_INVALID.agent_name },
    status: 201,
    answers: { 201: wire.CreateAgentResponse, 200: wire.CreateAgentResponse },
    errors: [
      "forbidden",
      "reauth_required",
      "agent_name_required",
      "invalid_agent_name",
      "agent_name_taken",
      "user_not_found",
      "channel_not_found",
    ],
    idempotent: true,
    secrets: ["api_key", "current_password"],
    async confirm({ ctx, caller, body }) {
      requireLevel(caller, ADMINISTRATOR);
      await reauthenticate(ctx, caller, body.current_password, true);
    },
    handle: ({ ctx, caller, body }) => newAgent(ctx, caller, body),
  }),
  route({
    name: "updateAgent",
    method: "PUT",
    path: "/api/agents/:agent_id",
    summary:
      "Pause or resume an agent, or decide who may have direct conversations with it and what its Telegram bots hear. While it is paused, its keys are refused and it is removed from all online lists.",
    tag,
    auth: "session",
    documentedActs: ["pause agent", "choose who talks with agent"],
    params: wire.AgentParams,
    body: wire.UpdateAgentBody,
    readOnly: wire.AGENT_READ_ONLY,
    answers: { 200: wire.AgentResponse },
    errors: ["no_fields", "forbidden", "agent_not_found"],
    async handle({ ctx, caller, params, body }) {
      const agent = await updateAgent(ctx, caller, params.agent_id, body);
      const message = agent.paused ? "The agent is paused." : "The agent is resumed.";
      return { message: body.paused === undefined ? "The agent is changed." : message, agent };
    },
  }),
  route({
    name: "disownAgent",
    method: "DELETE",
    path: "/api/agents/:agent_id/owner",
    summary: "Remove the caller as the owner of an agent.",
    tag,
    auth: "session",
    documentedActs: "disown agent",
    params: wire.AgentParams,
    answers: { 200: wire.AgentResponse },
    errors: ["forbidden", "agent_not_found"],
    async handle({ ctx, caller, params }) {
      return {
        message: "The agent no longer names you as its owner.",
        agent: await disown(ctx, caller, params.agent_id),
      };
    },
  }),
];
