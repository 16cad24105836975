import { allRoutes } from "../../../src/modules.ts";
import { png } from "../pngs.ts";
import { TestSocket } from "../servers/socket.ts";
import { Client } from "../servers/test-server.ts";
import * as of from "./belongings.ts";
import { AGENT_COMMAND_RECIPES, COMMAND_RECIPES } from "./command-recipes.ts";
import * as hooks from "./hooks.ts";
import * as on from "./objects.ts";
import { PASSWORD_OF_ALL } from "./people.ts";
import { changes, json, type Recipe, reads, type Sent } from "./recipe.ts";
import { ROUTES } from "./recipes.ts";
import { isUser } from "./roles.ts";
import type { Door } from "./slow-walk.ts";
import { TOOL_RECIPES } from "./tool-recipes.ts";
import type { RightsWorld } from "./world.ts";

/** Calls of routes that are slow only with these fields. */
const MORE: Readonly<Record<string, readonly Recipe[]>> = {
  "PUT /api/user/:username": [
    reads("update user", of.rankedUser, json({ password: PASSWORD_OF_ALL })),
    reads("update user", of.rankedUser, json({ avatar: png(8, 8).toString("base64") })),
  ],
  "PUT /api/webhooks/:webhook_id":
    hooks.ROUTES["PUT /api/webhooks/:webhook_id"]?.map((recipe) => ({
      ...recipe,
      sent: () => ({ body: { url: "https://8.8.8.8/hook" } }),
    })) ?? [],
  "POST /api/channels": [
    reads("create channel", on.nothing, (_, fresh) => ({
      body: { name: fresh(), is_private: true, password: PASSWORD_OF_ALL },
    })),
  ],
  "PUT /api/channels/:channel_id": [
    changes("update channel", on.channel, json({ is_private: true, password: PASSWORD_OF_ALL })),
  ],
};

/** The slow calls of each route that writes. A new slow call is a new row, and is then tried. */
export const SLOW_ROUTES: Readonly<Record<string, string>> = {
  "DELETE /api/admin/users/:username/second-factor": "hash",
  "DELETE /api/auth/passkeys/:passkey_id": "hash",
  "DELETE /api/auth/totp": "hash",
  "DELETE /api/user/:username": "hash",
  "POST /api/admin/users/:username/reset-link": "hash",
  "POST /api/agenthub/agent-api-key/recover": "lookup",
  "POST /api/agenthub/agent-api-key/verify-tweet": "lookup",
  "POST /api/auth/recovery-codes": "hash",
  "POST /api/auth/totp": "hash",
  "POST /api/channels": "hash",
  "POST /api/channels/:channel_id/join": "hash",
  "POST /api/emoji": "picture",
  "POST /api/files": "scan storage upload",
  "POST /api/push/subscriptions": "dns",
  "POST /api/user/:username/wallets/proof": "signature",
  "POST /api/webhooks": "dns",
  "PUT /api/channels/:channel_id": "hash",
  "PUT /api/user/:username": "hash picture",
  "PUT /api/webhooks/:webhook_id": "dns",
};

/** Those of each command, and of each tool. */
export const SLOW_COMMANDS: Readonly<Record<string, string>> = { "channel:join": "hash" };
export const SLOW_TOOLS: Readonly<Record<string, string>> = {
  join_channel: "hash",
  send_file: "picture scan storage upload",
};

const isCode = (answered: string | null, code: string) => answered === code;

/** The routes that write, by `METHOD path`. */
export function routesOf(world: RightsWorld): Door {
  // An agent's key says nothing where only a session may identify the caller.
  const ofVisitors = new Set(
    allRoutes()
      .filter(({ auth }) => auth === "visitor")
      .map(({ method, path }) => `${method} ${path}`),
  );
  return {
    isSame: isCode,
    recipesOf: (name, role) =>
      ofVisitors.has(name) && !isUser(role) ? [] : [...(ROUTES[name] ?? []), ...(MORE[name] ?? [])],
    async open({ name, handles, sent, credential }) {
      const [method = "", pattern = ""] = name.split(" ");
      const names = new Map(Object.entries({ ...handles, ...sent.params }));
      const path = pattern.replace(/:(\w+)/g, (_, field) => encodeURIComponent(String(names.get(field) ?? field)));
      const url = `${world.server.url}${path}?${new URLSearchParams(sent.query)}`;
      return async () => codeOf(await fetch(url, { method, ...requestOf(sent, credential) }));
    },
  };
}

function requestOf({ body, form, headers, cookie }: Sent, credential: Record<string, string>): RequestInit {
  const cookies = [credential.cookie, cookie].filter((text) => text !== undefined).join("; ");
  return {
    headers: {
      ...credential,
      ...(cookies === "" ? {} : { cookie: cookies }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined && form === undefined ? {} : { body: form ?? JSON.stringify(body) }),
  };
}

async function codeOf(response: Response): Promise<string | null> {
  if (!response.ok) return ((await response.json()) as { code: string }).code;
  await response.body?.cancel();
  return null;
}

/** Acts that only subscribers of a channel can perform. */
const LISTENING: ReadonlySet<string> = new Set(["channel:leave", "typing:start", "typing:stop"]);
const CLOSED = "the socket was closed";

/** The commands of the socket. */
export function commandsOf(world: RightsWorld): Door {
  return {
    isSame: (answered, code) => answered === code || answered === CLOSED,
    recipesOf: (name, role) => {
      const ofAgents = isUser(role) ? undefined : AGENT_COMMAND_RECIPES[name];
      const found = ofAgents ?? COMMAND_RECIPES[name];
      if (found === undefined) throw new Error(`${name} is not tried: define its calls in command-recipes.ts.`);
      return found;
    },
    async open({ name, handles, sent, credential }) {
      const { url } = world.server;
      const socket = await TestSocket.open(url, credential).catch(() => null);
      if (socket === null) {
        const { body } = await new Client(url, credential).get("/api/ws", { headers: { upgrade: "websocket" } });
        return async () => body.code as string;
      }
      if (LISTENING.has(name)) await socket.command("channel:join", { channel_id: handles.channel_id });
      return async () => {
        using _open = socket;
        const closed = socket.closed.then(() => null);
        const frame = await Promise.race([socket.command(name, sent.body).catch(() => null), closed]);
        if (frame === null) return CLOSED;
        return frame.event === "ack" ? null : (frame.data.code as string);
      };
    },
  };
}

/** The tools of MCP. */
export function toolsOf(world: RightsWorld): Door {
  return {
    isSame: isCode,
    recipesOf: (name, role) => (isUser(role) ? [] : (TOOL_RECIPES[name] ?? [])),
    open: async ({ name, sent, credential }) => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: sent.body ?? {} } };
      const headers = { accept: "application/json" };
      return async () => {
        const { status, body } = await new Client(world.server.url, credential).post("/mcp", call, { headers });
        if (status !== 200) return body.code as string;
        if (body.error !== undefined) return JSON.stringify(body.error);
        const { isError = false, content } = body.result;
        return isError ? (JSON.parse(content[0].text).code as string) : null;
      };
    },
  };
}
