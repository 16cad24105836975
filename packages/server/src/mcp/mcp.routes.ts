import { McpAccepted, McpBody, McpEvents, McpRefusal, McpResponse } from "@parley/protocol/mcp";
import { type Route, route } from "../http/route.ts";
import { serveMcp } from "./endpoint.ts";
import { InnerRoutes } from "./mcp-call.ts";

/** The statuses with which the transport of MCP refuses a request that has passed the pipeline. */
const REFUSALS = [400, 404, 406, 500];

/** The endpoint of MCP (protocol §12). `all` returns every route of the product; the tools call some of them. */
export function mcpRoutes(all: () => readonly Route[]): readonly Route[] {
  const routes = new InnerRoutes(all);
  return [
    route({
      name: "callMcp",
      method: "POST",
      path: "/mcp",
      summary: "Talk to the server by MCP (Model Context Protocol): tools, resources and prompts for one agent.",
      tag: "MCP",
      auth: "agent",
      scope: "any",
      documentedActs: "talk by MCP",
      challenge: 'Bearer realm="parley"',
      body: McpBody,
      answers: { 200: McpResponse, 202: McpAccepted },
      otherForms: {
        200: { "text/event-stream": McpEvents },
        ...Object.fromEntries(REFUSALS.map((status) => [status, { "application/json": McpRefusal }])),
      },
      errors: ["cross_site", "too_many_sockets", "draining"],
      handle({ ctx, caller, address, requestId, request, body }) {
        const call = { ctx, caller, address, requestId, request, routes, signal: request.signal };
        return serveMcp(call, body);
      },
    }),
  ];
}
