import type { Kysely } from "kysely";
import type { Tables } from "../../src/db/tables/tables.ts";
import { dump } from "./dump.ts";
import { LiveSocket } from "./servers/live-socket.ts";
import { currentClient, type McpClient } from "./servers/mcp-clients.ts";
import type { Answered, Client, TestServer } from "./servers/test-server.ts";

/** The answer of a door to an act: `code` is null if the act was done. */
export interface Outcome {
  code: string | null;
  retryable: boolean | null;
  /** Whether it says when to try again. */
  hasRetryAfter: boolean;
}

/** The acts of an agent, and what they are called with. */
export interface Acts {
  send: {
    slug: string;
    message: unknown;
    agent_name?: string;
    reply_to_id?: unknown;
    client_msg_id?: string;
    expected_last_seq?: number;
  };
  join: { slug: string; password?: string; agent_name?: string };
  leave: { slug: string };
  react: { message_id: number; reaction: string };
  ack: { item_ids: unknown };
  read: { slug: string; limit?: number; before?: number };
}

export type Act = keyof Acts;

/** A way to act. A door that does not have an act leaves it out. */
export type Door = { [A in Act]?: (args: Acts[A]) => Promise<Outcome> };

export type TestAgent = Client & { apiKey: string; agentId: number; name: string };

/** The doors of one agent. */
export interface Doors extends AsyncDisposable {
  REST: Door;
  socket: Door;
  MCP: Door;
}

/** Opens all doors for an agent. */
export async function openDoors(server: TestServer, agent: TestAgent): Promise<Doors> {
  const stack = new AsyncDisposableStack();
  const socket = stack.use(await LiveSocket.open(server.url, agent.credential));
  const mcp = stack.use(await currentClient(server.url, agent.apiKey, "auto"));
  return {
    REST: restDoor(agent),
    socket: socketDoor(socket),
    MCP: mcpDoor(mcp),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function restDoor(agent: TestAgent): Door {
  const hub = async (path: string, body: unknown) => restOutcome(await agent.post(`/api/agenthub/${path}`, body));
  return {
    send: ({ slug, ...message }) => hub("send", { channel_slug: slug, agent_name: agent.name, ...message }),
    join: ({ slug, ...more }) => hub("login", { channel_slug: slug, agent_name: agent.name, ...more }),
    leave: ({ slug }) => hub("logout", { channel_slug: slug }),
    react: async ({ message_id, reaction }) =>
      restOutcome(await agent.put(`/api/messages/${message_id}/reactions/${encodeURIComponent(reaction)}`)),
    ack: (body) => hub("inbox/ack", body),
    read: async ({ slug, ...query }) => {
      const fields = Object.entries(query).map(([name, value]) => `&${name}=${value}`);
      return restOutcome(await agent.get(`/api/agenthub/messages?channel_slug=${slug}${fields.join("")}`));
    },
  };
}

export function restOutcome({ status, headers, body }: Answered): Outcome {
  if (status < 400) return { code: null, retryable: null, hasRetryAfter: false };
  if (headers.has("retry-after") !== (body.retry_after !== undefined))
    throw new Error(`The header and the body differ: ${JSON.stringify(body)}`);
  return refusal(body);
}

function socketDoor(socket: LiveSocket): Door {
  const ask = async (event: string, data: unknown): Promise<Outcome> => {
    const answer = await socket.ask(event, data);
    return answer.event === "ack" ? { code: null, retryable: null, hasRetryAfter: false } : refusal(answer.data);
  };
  return {
    send: ({ slug, message, ...more }) => ask("message:send", { channel_slug: slug, content: message, ...more }),
    join: ({ slug, ...more }) => ask("channel:join", { channel_slug: slug, ...more }),
    leave: ({ slug }) => ask("channel:leave", { channel_slug: slug }),
    react: (data) => ask("reaction:add", data),
  };
}

function mcpDoor(mcp: McpClient): Door {
  const call = async (name: string, args: Record<string, unknown>): Promise<Outcome> => {
    const { isError, body } = await mcp.call(name, args);
    return isError ? refusal(body) : { code: null, retryable: null, hasRetryAfter: false };
  };
  return {
    send: ({ slug, ...more }) => call("send_message", { channel: slug, ...more }),
    join: ({ slug, ...more }) => call("join_channel", { channel: slug, ...more }),
    leave: ({ slug }) => call("leave_channel", { channel: slug }),
    react: (args) => call("react", args),
    ack: (args) => call("ack", args),
    read: ({ slug, ...more }) => call("read_channel", { channel: slug, ...more }),
  };
}

export function refusal(body: { code?: string; retryable?: boolean; retry_after?: number; error?: string }): Outcome {
  if (typeof body.error !== "string" || body.error === "") throw new Error(`No text: ${JSON.stringify(body)}`);
  return {
    code: body.code ?? "no code",
    retryable: body.retryable ?? null,
    hasRetryAfter: body.retry_after !== undefined,
  };
}

/** The state that a refused act must leave as it was. */
const STATE: ReadonlySet<string> = new Set<keyof Tables>([
  ...(["messages", "channels", "channel_events", "channel_members", "channel_agents", "channel_bans"] as const),
  ...(["agent_presence", "mentions", "reactions", "names", "ledger_entries"] as const),
]);

/** Returns everything that an act could have changed, as one text. */
export async function stateOf(db: Kysely<Tables>): Promise<string> {
  const cells = await dump(db);
  const kept = cells.filter(({ table }) => STATE.has(table));
  return kept.map(({ table, column, text }) => `${table}.${column}=${text}`).join("\n");
}
