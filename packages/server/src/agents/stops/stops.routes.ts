import { StopAgentBody, StopAgentResponse } from "@parley/protocol/agent-sessions";
import { ChannelParams } from "@parley/protocol/channels";
import { type Route, route } from "../../http/route.ts";
import { stopAgent } from "./stops.service.ts";

/** The route by which people stop agents (protocol §16.4). */
export const stopRoutes: readonly Route[] = [
  route({
    name: "stopAgent",
    method: "POST",
    path: "/api/channels/:channel_id/stop",
    summary: "Stop what an agent does in a thread, or writes in the channel.",
    tag: "Channels",
    auth: "session",
    documentedActs: "stop agents",
    params: ChannelParams,
    body: StopAgentBody,
    rates: [{ policy: "agentStop", by: "identity" }],
    answers: { 200: StopAgentResponse },
    errors: ["invalid_id", "channel_not_found", "password_required", "banned", "forbidden"],
    async handle({ ctx, caller, params, body }) {
      return { stopped: await stopAgent(ctx, caller, params.channel_id, body) };
    },
  }),
];
