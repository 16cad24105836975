import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

interface Params {
  name: string;
  arguments?: Record<string, unknown>;
}

/** The answer of a tool. */
export interface Called {
  isError: boolean;
  /** The text of its one block of content. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of any shape and fails where they differ.
  body: any;
}

export interface Listed {
  tools: { name: string; annotations?: Record<string, unknown>; inputSchema: object; outputSchema?: object }[];
}

/** A connected client of MCP. The same calls work in each kind. */
export interface McpClient extends AsyncDisposable {
  /** Undefined: the client does not say. */
  protocolVersion: string | undefined;
  instructions: string | undefined;
  tools(): Promise<Listed["tools"]>;
  /** Calls a tool. The clients check its structured content against the schema that they have listed. */
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  raw: Client | FirstClient;
}

const INFO = { name: "parley-tests", version: "1.0.0" };

/** The clients of the tests: the current one in both revisions, and the first SDK. */
export const MCP_CLIENTS = {
  "client 2 with revision 2026-07-28": (url: string, key: string) => currentClient(url, key, "auto"),
  "client 2 with revision 2025-11-25": (url: string, key: string) => currentClient(url, key, "legacy"),
  "sdk 1": firstClient,
} as const;

export async function currentClient(url: string, key: string, mode: "auto" | "legacy"): Promise<McpClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: init(key) }));
  return connected(client, client.getNegotiatedProtocolVersion());
}

async function firstClient(url: string, key: string): Promise<McpClient> {
  const client = new FirstClient(INFO);
  const transport = new FirstTransport(new URL("/mcp", url), { requestInit: init(key) });
  await client.connect(transport as Transport);
  return connected(client, transport.protocolVersion);
}

const init = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });

function connected(client: Client | FirstClient, protocolVersion: string | undefined): McpClient {
  return {
    protocolVersion,
    instructions: client.getInstructions(),
    raw: client,
    tools: async () => ((await client.listTools()) as Listed).tools,
    async call(name, args = {}) {
      const params: Params = { name, arguments: args };
      return called((await client.callTool(params)) as Result);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

interface Result {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
}

function called({ isError = false, content, structuredContent }: Result): Called {
  const [block, ...more] = content;
  if (block?.type !== "text" || block.text === undefined || more.length > 0)
    throw new Error(`Not one block of text: ${JSON.stringify(content)}`);
  return { isError, text: block.text, body: structuredContent ?? JSON.parse(block.text) };
}
