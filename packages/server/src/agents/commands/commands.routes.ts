import {
  ChannelCommandsQuery,
  ChannelCommandsResponse,
  SetCommandsBody,
  SetCommandsResponse,
} from "@parley/protocol/agent-commands";
import { AGENT_INVALID } from "@parley/protocol/agents";
import { ChannelParams } from "@parley/protocol/channels";
import { type Route, route } from "../../http/route.ts";
import { commandsFor, setCommands } from "./commands.service.ts";

const { agent_name, channel_slug } = AGENT_INVALID;

/** Routes of the commands that agents declare (protocol §5). */
export const commandRoutes: readonly Route[] = [
  route({
    name: "setAgentCommands",
    method: "PUT",
    path: "/api/agenthub/commands",
    summary: "Declare the commands that people can write to the agent, everywhere or in one channel.",
    tag: "Agents",
    auth: "agent",
    scope: "send",
    documentedActs: "declare commands",
    body: SetCommandsBody,
    invalid: { agent_name, channel_slug },
    answers: { 200: SetCommandsResponse },
    errors: [
      "channel_slug_required",
      "channel_not_found",
      "password_required",
      "banned",
      "agent_name_required",
      "invalid_agent_name",
      "agent_name_taken",
    ],
    handle: ({ ctx, caller, body }) => setCommands(ctx, caller, body),
  }),
  route({
    name: "listChannelCommands",
    method: "GET",
    path: "/api/channels/:channel_id/commands",
    summary: "List the commands of the agents in a channel, by agent",
    tag: "Channels",
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: ChannelParams,
    query: ChannelCommandsQuery,
    answers: { 200: ChannelCommandsResponse },
    errors: ["session_required", "invalid_id", "channel_not_found", "password_required", "banned"],
    handle: ({ ctx, caller, params, query }) => commandsFor(ctx, caller, { id: params.channel_id }, query),
  }),
];
