import { heapStats } from "bun:jsc";
import { describe, expect, spyOn, test } from "bun:test";
import { countAgentStreams } from "../../src/agents/events/open-stream-limits.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { MCP_CLIENTS } from "../support/servers/mcp-clients.ts";
import { newChannel } from "../support/servers/realtime.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const scout = await server.agent("Scout");

const open = () => countAgentStreams(server.ctx);
const WAIT = { name: "check_inbox", arguments: { wait: 25, after_item_id: 1_000_000 } };

describe.each(Object.entries(MCP_CLIENTS))("a wait with %s", (_, connect) => {
  test("ends when the client disconnects", async () => {
    const mcp = await connect(server.url, scout.apiKey);
    const waiting = mcp.raw.callTool(WAIT).catch(() => "gone");
    await eventually("it waits", () => open() === 1);
    await mcp[Symbol.asyncDispose]();
    expect(await waiting).toBe("gone");
    await eventually("the wait is over", () => open() === 0);
  });
});

test("a wait ends when a client of the revision 2026-07-28 cancels the call", async () => {
  await using mcp = await MCP_CLIENTS["client 2 with revision 2026-07-28"](server.url, scout.apiKey);
  const aborting = new AbortController();
  const waiting = mcp.raw.callTool(WAIT, { signal: aborting.signal } as never).catch(() => "cancelled");
  await eventually("it waits", () => open() === 1);
  aborting.abort();
  expect(await waiting).toBe("cancelled");
  await eventually("the wait is over", () => open() === 0);
});

test("20 waits of an agent are allowed, and one more is refused", async () => {
  const aborting = new AbortController();
  const ask = (id: number) =>
    fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        ...scout.credential,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: WAIT }),
      signal: aborting.signal,
    }).then((response) => response.text());
  const held = Array.from({ length: 20 }, (_, id) => ask(id).catch(() => "gone"));
  await eventually("20 wait", () => open() === 20);
  expect(await ask(99)).toContain("too_many_sockets");
  aborting.abort();
  await Promise.all(held);
  await eventually("all are over", () => open() === 0);
});

test("a draining server ends waits and subscriptions, and refuses new waits", async () => {
  const other = await startTestServer();
  const agent = await other.agent("Scout");
  const mcp = await MCP_CLIENTS["client 2 with revision 2026-07-28"](other.url, agent.apiKey);
  const waiting = mcp.call("check_inbox", { wait: 25 }).then(({ body }) => body.items);
  const old = await MCP_CLIENTS["sdk 1"](other.url, agent.apiKey);
  const alsoWaiting = old.call("check_inbox", { wait: 25 }).then(({ body }) => body.items);
  if (!("listen" in mcp.raw)) throw new Error("not the current client");
  const { closed } = await mcp.raw.listen({ resourceSubscriptions: ["parley://channel/general"] });
  await eventually("all are open", () => countAgentStreams(other.ctx) === 3);
  const stopping = other[Symbol.asyncDispose]();
  expect(await waiting).toEqual([]);
  expect(await alsoWaiting).toEqual([]);
  expect(await closed).toBe("graceful");
  await stopping;
  await mcp[Symbol.asyncDispose]();
  await old[Symbol.asyncDispose]();
});

test("a subscription is answered when this node receives the channel's events, and none after that is missed", async () => {
  await using mcp = await MCP_CLIENTS["client 2 with revision 2026-07-28"](server.url, scout.apiKey);
  if (!("listen" in mcp.raw)) throw new Error("not the current client");
  const { slug } = await newChannel(ann);
  const { broker } = server.ctx;
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const subscribe = broker.subscribe.bind(broker);
  using _ = spyOn(broker, "subscribe").mockImplementation(async (topic) => {
    begun.resolve();
    await gate.promise;
    await subscribe(topic);
  });
  let isAnswered = false;
  let told = 0;
  mcp.raw.setNotificationHandler("notifications/resources/updated", () => void told++);
  const listening = mcp.raw.listen({ resourceSubscriptions: [`parley://channel/${slug}`] }).then(() => {
    isAnswered = true;
  });
  await begun.promise;
  // The server has answered this later request, so it would have answered that one, too.
  await mcp.call("whoami");
  expect(isAnswered).toBeFalse();
  gate.resolve();
  await listening;
  await ann.post("/api/messages", { channel_slug: slug, content: "Anybody here?" });
  await eventually("the subscriber is told", () => told === 1);
});

/** Things that a request or the library could keep. The clients are in this process, too. */
const KINDS = ["Request", "Response", "AbortSignal", "AbortController", "ReadableStream", "Timeout", "Map", "Server"];

/** Counts the living objects of each kind. */
function counted(): Record<string, number> {
  Bun.gc(true);
  const { objectTypeCounts } = heapStats();
  return Object.fromEntries(KINDS.map((kind) => [kind, objectTypeCounts[kind] ?? 0]));
}

test("1,000 calls leave no state", async () => {
  await using mcp = await MCP_CLIENTS["client 2 with revision 2026-07-28"](server.url, scout.apiKey);
  await using old = await MCP_CLIENTS["sdk 1"](server.url, scout.apiKey);
  await ann.post("/api/messages", { channel_slug: "general", content: "Hello" });
  const hundred = async () => {
    for (let n = 0; n < 25; n++) {
      for (const client of [mcp, old]) {
        await client.call("read_channel", { channel: "general" });
        await client.call("read_channel", { channel: "nowhere" });
      }
    }
  };
  await hundred();
  const before = counted();
  for (let n = 0; n < 10; n++) await hundred();
  await eventually("what the calls made is collected", () => {
    const after = counted();
    return KINDS.every((kind) => (after[kind] ?? 0) <= (before[kind] ?? 0) + 50);
  });
  expect(open()).toBe(0);
});
