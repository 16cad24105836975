import type { CallToolResult, ListToolsResult, Server } from "@modelcontextprotocol/server";
import type { ErrorBody } from "@parley/protocol/errors";
import release from "../../package.json" with { type: "json" };
import { errorBody } from "../errors.ts";
import { toAppError } from "../http/answers/respond.ts";
import { actingTools } from "./acting-tools.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import type { McpCall } from "./mcp-call.ts";
import { readingTools } from "./reading-tools.ts";
import type { Tool } from "./tool.ts";

/** The library that implements MCP. It is loaded at the first call, so that starts do not pay for it. */
export type Library = typeof import("@modelcontextprotocol/server");

const LIST_TTL_MS = 300_000;
const TOOLS = new Map<string, Tool>([...readingTools, ...actingTools].map((tool) => [tool.name, tool]));
const LISTED = { tools: [...TOOLS.values()].map(({ listed }) => listed) } as ListToolsResult;

/** Creates the server that answers one POST, or one message of a batch. It holds nothing when it has answered. */
export function makeServer(library: Library, call: McpCall): Server {
  const server = new library.Server(
    { name: "parley", title: "Parley", version: release.version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "public" } },
    },
  );
  server.setRequestHandler("tools/list", () => LISTED);
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const tool = TOOLS.get(params.name);
    if (tool === undefined) throw new library.ProtocolError(library.INVALID_PARAMS, `Unknown tool: ${params.name}`);
    return callTool(within(call, mcpReq.signal), tool, params.arguments);
  });
  return server;
}

/** The call, with a signal that also ends when the library cancels the message. */
const within = (call: McpCall, signal: AbortSignal): McpCall => ({
  ...call,
  signal: AbortSignal.any([call.signal, signal]),
});

/** A refusal is a result that the model reads, not an error of the protocol: it can correct itself. */
async function callTool(call: McpCall, tool: Tool, args: unknown): Promise<CallToolResult> {
  try {
    const { body, text } = await tool.run(call, args);
    return { content: [{ type: "text", text }], structuredContent: body };
  } catch (error) {
    return { content: [{ type: "text", text: JSON.stringify(refusalOf(call, error)) }], isError: true };
  }
}

/** Returns what REST answers to an error, without `success`. */
export function refusalOf(call: McpCall, error: unknown): Omit<ErrorBody, "success"> {
  const { success: _, ...refusal } = errorBody(toAppError(call.ctx, error, call.requestId), call.requestId);
  return refusal;
}
