import { AGENT_INVALID } from "@parley/protocol/agents";
import { AskedKindsResponse, InboxKindsBody, InboxKindsResponse } from "@parley/protocol/inbox";
import { type Route, route } from "../../http/route.ts";
import { chooseKinds, kindsOfAgent } from "./kinds.service.ts";

/** Routes with which an agent asks for more kinds of items (protocol §5). */
export const kindRoutes: readonly Route[] = [
  route({
    name: "getInboxKinds",
    method: "GET",
    path: "/api/agenthub/inbox/kinds",
    summary: "Read which kinds of items the agent's names have asked for, beside those that every agent gets.",
    tag: "Agents",
    auth: "agent",
    scope: "inbox",
    documentedActs: "read own inbox",
    answers: { 200: AskedKindsResponse },
    errors: [],
    handle: ({ ctx, caller }) => kindsOfAgent(ctx, caller.agentId),
  }),
  route({
    name: "setInboxKinds",
    method: "PUT",
    path: "/api/agenthub/inbox/kinds",
    summary:
      "Ask for more kinds of items: replies, commands, all messages of its channels, edits, reactions, its places. Replaces what was asked for before.",
    tag: "Agents",
    auth: "agent",
    scope: "inbox",
    documentedActs: "read own inbox",
    body: InboxKindsBody,
    invalid: { agent_name: AGENT_INVALID.agent_name },
    answers: { 200: InboxKindsResponse },
    errors: ["agent_name_required", "invalid_agent_name", "agent_name_taken"],
    async handle({ ctx, caller, body }) {
      const { agent_name, kinds } = await chooseKinds(ctx, caller, body);
      const message = kinds.length === 0 ? "No further kinds are made." : "These kinds are made from now on.";
      return { message, agent_name, kinds };
    },
  }),
];
