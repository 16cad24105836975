import { describe, expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, type Client, type Send, startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer());
const scout = await server.agent("Scout");

const ACCEPT = { accept: "application/json, text/event-stream" };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const call = (name: string, args: object, id = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** A request of the revision 2026-07-28. */
const modernList = {
  jsonrpc: "2.0",
  id: 9,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    },
  },
};

function post(who: Client, body: unknown, { headers, ...send }: Send = {}): Promise<Answered> {
  return who.post("/mcp", body, { ...send, headers: { ...ACCEPT, ...headers } });
}

/** Returns the JSON-RPC messages of an answer, which is JSON or a stream of events. */
function messagesOf({ body }: Answered): {
  id: number;
  result?: { isError?: boolean };
  error?: { code: number; message: string };
}[] {
  if (typeof body !== "string") return [body].flat();
  const data = [...body.matchAll(/^data: (.+)$/gm)].map(([, json]) => JSON.parse(json ?? ""));
  return data.flat();
}

describe("before MCP, POST /mcp", () => {
  test("answers 401 with a challenge that names no metadata", async () => {
    for (const who of [server.guest, await server.user("ann")]) {
      const answer = await post(who, LIST);
      expectError(answer, 401, "missing_api_key");
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="parley"');
    }
    const headers = { authorization: `Bearer ${scout.apiKey.slice(0, -1)}~` };
    const wrong = await post(server.guest, LIST, { headers });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get("www-authenticate")).toBe('Bearer realm="parley"');
  });

  test("refuses a page of another origin, even with a key", async () => {
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) expectError(await post(scout, LIST, { headers }), 403, "cross_site");
    expect((await post(scout, LIST, { headers: { origin: server.url } })).status).toBe(200);
  });

  test("lets pages of a configured origin call it", async () => {
    const origin = "https://inspector.example";
    await using open = await startTestServer({ allowedOrigins: [origin] });
    const preflight = await open.guest.send("OPTIONS", "/mcp", { headers: { origin } });
    for (const name of ["Authorization", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"])
      expect(preflight.headers.get("access-control-allow-headers")).toContain(name);
    const agent = await open.agent("Scout");
    const { status, headers } = await post(agent, LIST, { headers: { origin } });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, origin]);
  });

  test("bounds sizes, depths and batches", async () => {
    expectError(await post(scout, { ...LIST, padding: "x".repeat(70_000) }), 413, "body_too_large");
    expectError(
      await post(scout, undefined, { raw: "{", headers: { "content-type": "application/json" } }),
      400,
      "invalid_json",
    );
    expectError(
      await post(scout, undefined, { raw: "{}", headers: { "content-type": "text/plain" } }),
      415,
      "unsupported_media_type",
    );
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const headers = { "content-type": "application/json" };
    expectError(await post(scout, undefined, { raw: deep, headers }), 400, "invalid_json");
    expectError(
      await post(
        scout,
        Array.from({ length: 11 }, (_, id) => ({ ...LIST, id })),
      ),
      400,
      "invalid_request",
    );
    for (const body of [[], null, 5, "x", {}, { jsonrpc: "1.0" }, [5], [[LIST]]])
      expectError(await post(scout, body), 400, "invalid_request");
  });

  test("answers other methods with 405 and names the allowed ones", async () => {
    for (const method of ["GET", "DELETE", "PUT", "HEAD"]) {
      const answer = await scout.send(method, "/mcp");
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
    }
  });

  test("carries the headers of every answer", async () => {
    const { headers } = await post(scout, LIST);
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(headers.get("x-api-version")).toBe("1");
    expect(headers.get("cache-control")).toBe("no-store, no-transform");
  });
});

describe("MCP", () => {
  test("answers malformed messages with errors of JSON-RPC and goes on", async () => {
    const messages = [
      { jsonrpc: "2.0", id: 1 },
      { jsonrpc: "2.0", id: 1, method: 5 },
      { jsonrpc: "2.0", id: 1, method: "nothing/such" },
      { jsonrpc: "2.0", id: 1, method: "tools/call" },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "nothing" } },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "toString", arguments: {} } },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: [] } },
      { jsonrpc: "2.0", id: 1, method: "resources/read", params: {} },
      { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: 5 } },
      { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: null },
    ];
    for (const message of messages) {
      const answer = await post(scout, message);
      expect(answer.status).toBeLessThan(500);
      const [only] = messagesOf(answer);
      expect([message, only?.error !== undefined || only?.result?.isError]).toEqual([message, true]);
    }
    const unknown = { headers: { "mcp-protocol-version": "1999-01-01" } };
    expect((await post(scout, LIST, unknown)).status).toBe(400);
    expect(messagesOf(await post(scout, LIST))[0]?.result).toBeDefined();
  });

  test.each([
    ["*/*", "text/event-stream"],
    ["application/*, text/*;q=0.5", "text/event-stream"],
    ["text/event-stream", "text/event-stream"],
    ["application/json", "application/json"],
    ["application/json, text/event-stream;q=0", "application/json"],
  ])("answers Accept: %s with %s", async (accept, type) => {
    const headers = { accept };
    const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
    const answer = await scout.post("/mcp", ping, { headers });
    expect([answer.status, answer.headers.get("content-type")?.split(";", 1)[0]]).toEqual([200, type]);
    expect(messagesOf(answer)).toMatchObject([{ jsonrpc: "2.0", id: 7, result: {} }]);
    const many = await scout.post("/mcp", [ping, call("whoami", {}, 8)], { headers });
    expect(messagesOf(many).map(({ id }) => id)).toEqual([7, 8]);
    const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    const modern = await scout.post("/mcp", modernList, { headers: { ...headers, ...named } });
    expect([modern.status, messagesOf(modern)[0]?.id]).toEqual([200, 9]);
  });

  test("answers 406 to a client that accepts neither form, or no events for a subscription", async () => {
    const statusOf = async (body: object, accept: string) =>
      (await scout.post("/mcp", body, { headers: { accept } })).status;
    expect(await statusOf(LIST, "text/html")).toBe(406);
    expect(await statusOf(LIST, "application/json;q=0, text/event-stream;q=0.0")).toBe(406);
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} };
    expect(await statusOf(listen, "application/json")).toBe(406);
  });

  test.each([
    ["initialize", { protocolVersion: "2025-06-18", capabilities: {} }, "params.clientInfo"],
    ["initialize", undefined, "params"],
    ["tools/call", {}, "params.name"],
    ["resources/read", { uri: 5 }, "params.uri"],
    ["prompts/get", {}, "params.name"],
  ])("answers %s with the parameters %j with -32602 in one line", async (method, params, path) => {
    for (const accept of ["application/json", "*/*"]) {
      const answer = await scout.post("/mcp", { jsonrpc: "2.0", id: 1, method, params }, { headers: { accept } });
      const { code, message } = messagesOf(answer)[0]?.error ?? {};
      expect([code, message?.startsWith(`Invalid parameters: ${path}: `), message?.includes("\n")]).toEqual([
        -32602,
        true,
        false,
      ]);
    }
  });

  test("reads parameters and optional arguments that are null as absent, and no others", async () => {
    const answerTo = async (method: string, params: object) =>
      messagesOf(await post(scout, { jsonrpc: "2.0", id: 1, method, params }))[0];
    expect((await answerTo("tools/list", { cursor: null, _meta: null }))?.result).toBeDefined();
    expect((await answerTo("tools/call", { name: "whoami", arguments: null }))?.result?.isError).toBeUndefined();
    const read = (args: object) => answerTo("tools/call", { name: "read_channel", arguments: args });
    expect((await read({ channel: "general", limit: null, before: null }))?.result?.isError).toBeUndefined();
    expect((await read({ channel: null }))?.result?.isError).toBe(true);
    expect((await read({ channel: "general", limits: null }))?.result?.isError).toBe(true);
  });

  test("answers a batch of the revision that has them", async () => {
    const batch = [1, 2, 3].map((id) => call("list_channels", {}, id));
    const answer = await post(scout, batch, { headers: { "mcp-protocol-version": "2025-03-26" } });
    expect(
      messagesOf(answer)
        .map(({ id, result }) => [id, result?.isError ?? false])
        .sort(),
    ).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ]);
  });

  test("accepts notifications with 202", async () => {
    const { status, body } = await post(scout, { jsonrpc: "2.0", method: "notifications/initialized" });
    expect([status, body]).toEqual([202, ""]);
  });

  test("counts requests, messages of batches and the rates of the routes", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
    const busy = await strict.agent("Busy");
    const send = (id: number) => call("send_message", { channel: "general", message: `Hello ${id}` }, id);
    const refusals = new Set<string>();
    for (let id = 0; id < 8; id++) {
      const [answer] = messagesOf(await post(busy, send(id)));
      if (answer?.result?.isError) refusals.add(JSON.stringify(answer.result));
    }
    expect([...refusals].join()).toContain('\\"code\\":\\"rate_limited\\"');
    expect([...refusals].join()).toContain("retry_after");
    const batch = Array.from({ length: 10 }, (_, id) => ({ ...LIST, id }));
    let posts = 0;
    let last: Answered;
    do last = await post(busy, batch);
    while (last.status === 200 && ++posts < 40);
    expectError(last, 429, "rate_limited");
    expect(posts).toBe(29);
  });
});
