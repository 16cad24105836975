import type { CallToolResult, ListToolsResult, Server } from "@modelcontextprotocol/server";
import type { DetailsOf } from "@parley/protocol/error-details";
import { ERRORS, type ErrorBody } from "@parley/protocol/errors";
import release from "../../package.json" with { type: "json" };
import { AUTHORITY_RULE, DATA_RULE } from "../agents/prompt/standing-text.ts";
import { visibleStrings } from "../agents/prompt/visible-text.ts";
import { errorBody } from "../errors.ts";
import { port } from "../hook.ts";
import { toAppError } from "../http/answers/respond.ts";
import type { Module } from "../module.ts";
import { actingTools } from "./acting-tools.ts";
import { cardTools } from "./card-tools.ts";
import { fileTools } from "./file-tools.ts";
import { inboxTools } from "./inbox-tools.ts";
import type { McpCall } from "./mcp-call.ts";
import { PROMPTS, PROMPTS_LISTED } from "./prompts.ts";
import { readingTools } from "./reading-tools.ts";
import { listResources, parseUri, readResource, TEMPLATES } from "./resources.ts";
import type { Tool } from "./tool.ts";

/** The library that implements MCP. It is loaded at the first call, so that starts do not pay for it. */
export type Library = typeof import("@modelcontextprotocol/server");

/** The revision 2026-07-28 is modern. Older ones have no `subscriptions/listen`. */
export type Era = "legacy" | "modern";

const LIST_TTL_MS = 300_000;
const OWN = [...inboxTools, ...readingTools, ...actingTools, ...fileTools, ...cardTools];

/** The tools of a server. */
interface Tools {
  byName: ReadonlyMap<string, Tool>;
  listed: ListToolsResult;
}

/** The tools of this server, which the module of MCP registers. */
export const serverTools = port<Tools>("tools of MCP");

/** Returns all tools: those of this folder, and those that the modules give. */
export const allTools = (all: readonly Module[]): readonly Tool[] => [
  ...OWN,
  ...all.flatMap(({ tools = [] }) => tools),
];

/** Returns the tools of a server with these modules. */
export function toolsOf(all: readonly Module[]): Tools {
  const tools = allTools(all);
  return {
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    listed: { tools: tools.map(({ listed }) => listed) } as ListToolsResult,
  };
}

/** Creates the server that answers one POST, or one message of a batch. It holds nothing when it has answered. */
export function makeServer(library: Library, call: McpCall, era: Era): Server {
  const server = new library.Server(
    { name: "parley", title: "Parley", version: release.version },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: era === "modern" } },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "public" } },
    },
  );
  const tools = serverTools.of(call.ctx);
  server.setRequestHandler("tools/list", () => tools.listed);
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const tool = tools.byName.get(params.name);
    if (tool === undefined) throw new library.ProtocolError(library.INVALID_PARAMS, `Unknown tool: ${params.name}`);
    return callTool(within(call, mcpReq.signal), tool, params.arguments);
  });
  serveResources(library, server, call);
  servePrompts(library, server, call);
  return server;
}

function serveResources(library: Library, server: Server, call: McpCall): void {
  server.setRequestHandler("resources/templates/list", () => TEMPLATES);
  server.setRequestHandler("resources/list", (_, { mcpReq }) =>
    asProtocol(library, call, () => listResources(within(call, mcpReq.signal))),
  );
  server.setRequestHandler("resources/read", ({ params: { uri } }, { mcpReq }) => {
    const name = parseUri(uri);
    if (name === null) throw new library.ResourceNotFoundError(uri);
    return asProtocol(library, call, () => readResource(within(call, mcpReq.signal), uri, name));
  });
}

function servePrompts(library: Library, server: Server, call: McpCall): void {
  server.setRequestHandler("prompts/list", () => PROMPTS_LISTED);
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const prompt = PROMPTS.get(params.name);
    if (prompt === undefined) throw new library.ProtocolError(library.INVALID_PARAMS, `Unknown prompt: ${params.name}`);
    return asProtocol(library, call, () => prompt.get(within(call, mcpReq.signal), params.arguments ?? {}));
  });
}

/** Resources and prompts have no results that are errors: their refusals become errors of JSON-RPC, with all fields. */
async function asProtocol<T>(library: Library, call: McpCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(call, error);
    throw new library.ProtocolError(codeOf(library, refusal), refusal.error, refusal);
  }
}

/** The call, with a signal that also ends when the library cancels the message. */
const within = (call: McpCall, signal: AbortSignal): McpCall => ({
  ...call,
  signal: AbortSignal.any([call.signal, signal]),
});

/** A refusal is a result that the model reads, not an error of the protocol: it can correct itself. */
async function callTool(call: McpCall, tool: Tool, args: unknown): Promise<CallToolResult> {
  try {
    const { body, text, image, audio } = await tool.run(call, args);
    const pictures = image === undefined ? [] : [{ type: "image" as const, ...image }];
    const sounds = audio === undefined ? [] : [{ type: "audio" as const, ...audio }];
    // Some hosts give the model this alone, so nothing in it is hidden from people either.
    const structuredContent = visibleStrings(body) as Record<string, unknown>;
    return { content: [{ type: "text", text }, ...pictures, ...sounds], structuredContent };
  } catch (error) {
    const refusal = visibleStrings(forModel(refusalOf(call, error)));
    return { content: [{ type: "text", text: JSON.stringify(refusal) }], isError: true };
  }
}

/** Returns the code of JSON-RPC for a refusal. */
export const codeOf = (library: Library, { code }: Pick<ErrorBody, "code">): number =>
  ERRORS[code][0] < 500 ? library.INVALID_PARAMS : library.INTERNAL_ERROR;

/** Returns what REST answers to an error, without `success`. */
export function refusalOf(call: McpCall, error: unknown): Omit<ErrorBody, "success"> {
  const {
    success: _,
    error: text,
    code,
    ...rest
  } = errorBody(toAppError(call.ctx, error, call.requestId), call.requestId);
  return { code, error: text, ...rest };
}

/** A model reads missed messages in their envelope only, as in every answer. */
function forModel(refusal: Omit<ErrorBody, "success">): Omit<ErrorBody, "success"> {
  if (refusal.code !== "context_stale") return refusal;
  const { messages: _, ...details } = refusal.details as DetailsOf<"context_stale">;
  return { ...refusal, details };
}

/** Returns what logs the messages that the library refuses. Their senders know why. */
export const logRefusal =
  ({ ctx, requestId }: McpCall) =>
  (err: Error): void =>
    ctx.log.debug({ err, requestId }, "a message of MCP was refused");

/** The text that every client of MCP receives when it connects. */
const INSTRUCTIONS = [
  "Parley is a chat server where people and agents share channels. You act as one agent of it.",
  DATA_RULE,
  AUTHORITY_RULE,
  "Start with whoami. check_inbox returns what was addressed to you; answer with send_message, then call ack. To follow a",
  "channel, call read_channel with `after_seq` set to the last_seq that you know.",
  "Before you do what cannot be undone, ask_people, and act only when check_answer says that it is decided as you need.",
  "A line that begins with (file names a file: read_file reads the number at the end of its address. send_file sends one.",
  "A refusal is JSON with `code`, `error` and `retryable`. Repeat a call only if `retryable` is true, and not before",
  "`retry_after` seconds. Pass `client_msg_id` to send_message, so that a repetition does not send twice.",
].join("\n");
