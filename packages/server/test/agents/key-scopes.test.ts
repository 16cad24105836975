import { describe, expect, test } from "bun:test";
import { AgentScope, type KeyGrant } from "@parley/protocol/key-grants";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { makeCommands } from "../../src/gateway/commands.ts";
import { allRoutes } from "../../src/modules.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Protocol §12.8 over real HTTP, sockets and MCP: keys that may do less, in fewer channels, until a time. */
const KEYS = "/api/agenthub/agent-api-key";
const SCOPES = AgentScope.enum;

const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");

/** Issues a key, as the command line does. */
async function keyed(grant: KeyGrant, agentName?: string) {
  const key = await issueKey(server.ctx, { ownerUsername: "ann", grant, ...(agentName && { agentName }) });
  const client = new Client(server.url, { authorization: `Bearer ${key.api_key}` });
  return Object.assign(client, { apiKey: key.api_key, keyId: key.key_id, agentId: key.agent_id });
}

const withKey = (key: string) => new Client(server.url, { authorization: `Bearer ${key}` });
const without = (scope: AgentScope) => SCOPES.filter((other) => other !== scope);
const commands = [...makeCommands(allRoutes())].map(([name, { agent }]) => [name, agent] as const);
const agentRoutes = allRoutes().filter(({ auth }) => auth !== "open" && auth !== "visitor" && auth !== "session");

describe("scopes", () => {
  test("every route and command that agents can call declares the scope that it needs", () => {
    const routes = agentRoutes
      .filter(({ scope }) => scope === undefined)
      .map(({ method, path }) => `${method} ${path}`);
    const silent = commands.filter(
      ([, { auth, scope }]) => auth !== "open" && auth !== "session" && scope === undefined,
    );
    expect([routes, silent.map(([name]) => name)]).toEqual([[], []]);
  });

  test("a key without one scope is refused on each route that needs it, and on no other", async () => {
    for (const missing of SCOPES) {
      const agent = await keyed({ scopes: without(missing) });
      for (const { method, path, scope } of agentRoutes) {
        // A stream would not end, and a rotation would end the key.
        if (scope !== missing && (path === "/api/agenthub/events" || path.startsWith(KEYS))) continue;
        const answer = await agent.send(method, path.replace(/:\w+/g, "0"), method === "GET" ? {} : { body: {} });
        const { code, details } = answer.body ?? {};
        const label = `${method} ${path} without ${missing}`;
        if (scope === missing) {
          expect([label, answer.status, code, details]).toEqual([
            label,
            403,
            "insufficient_scope",
            { required: missing, scopes: without(missing) },
          ]);
        } else expect([label, code]).not.toEqual([label, "insufficient_scope"]);
      }
    }
  });

  test("a key without one scope is refused each command that needs it, and no other", async () => {
    for (const missing of SCOPES) {
      const agent = await keyed({ scopes: without(missing) });
      await using socket = await LiveSocket.open(server.url, agent.credential);
      for (const [name, { auth, scope }] of commands) {
        if (auth === "session" || name.startsWith("auth:")) continue;
        const { data } = await socket.ask(name, { channel_slug: 1 });
        expect([name, data.code === "insufficient_scope"]).toEqual([name, scope === missing]);
        // A good frame, because many bad ones in a row end the socket.
        await socket.settle();
      }
    }
  });

  test("the tools, resources and prompts of MCP need the scopes of the routes they call", async () => {
    const agent = await keyed({ scopes: ["cards"] }, "Limited");
    await using mcp = await currentClient(server.url, agent.apiKey, "auto");
    const channel = "general";
    const args: Record<string, object> = {
      read_channel: { channel },
      join_channel: { channel },
      leave_channel: { channel },
      send_message: { channel, message: "Hello" },
      react: { message_id: 1, reaction: "like" },
      ack: { item_ids: [1] },
      search: { query: "hello" },
      read_file: { file_id: 1 },
      send_file: { channel, name: "a.txt", text: "Hello" },
      check_answer: { interaction_id: 1 },
      create_poll: { channel, question: "?", options: ["a", "b"] },
      write_transcript: { file_id: 1, text: "Hello" },
      ask_people: { channel, question: "?", options: ["a", "b"], who: { roles: ["admin"] }, expires_in: 60 },
    };
    const open = new Set(["whoami", "check_answer", "ask_people"]);
    for (const { name } of await mcp.tools()) {
      const { isError, body } = await mcp.call(name, { ...args[name] });
      const isRefused = isError === true && body.code === "insufficient_scope";
      expect([name, isRefused]).toEqual([name, !open.has(name)]);
    }
    const refusal = (error: { data?: { code?: string } }) => error.data?.code;
    expect(await mcp.raw.readResource({ uri: "parley://channel/general" }).catch(refusal)).toBe("insufficient_scope");
    expect(await mcp.raw.getPrompt({ name: "catch_up", arguments: { channel } }).catch(refusal)).toBe(
      "insufficient_scope",
    );
  });

  test("items reach no socket and no stream of a key without inbox", async () => {
    const agent = await keyed({ scopes: ["read"] }, "Deaf");
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Deaf" });
    await using reader = await EventReader.open(server.url, agent.credential);
    await using socket = await LiveSocket.open(server.url, agent.credential);
    await socket.ask("channel:join", { channel_slug: "general", agent_name: "Deaf" });
    await ann.post("/api/messages", { channel_slug: "general", content: "@Deaf do you hear me?" });
    await ann.post("/api/messages", { channel_slug: "general", content: "last" });
    await reader.next(({ data }) => data.chat_message?.content === "last");
    await socket.find(({ data }) => data.chat_message?.content === "last");
    const heard = [...reader.events, ...socket.frames].filter(({ event }) => /^(mention|inbox):/.test(event));
    expect(heard).toEqual([]);
  });
});

describe("channels of a key", () => {
  test("no door shows or changes anything outside them", async () => {
    const [inside, outside, hidden] = [
      await newChannel(ann),
      await newChannel(ann),
      await newChannel(ann, { is_private: true }),
    ];
    const full = await keyed({}, "Whole");
    const rotated = await full.post(`${KEYS}/rotate`, { channels: [inside.slug], grace_seconds: 60 });
    expect(rotated.status).toBe(201);
    const agent = withKey(rotated.body.api_key);
    const say = async (channel_id: number, content: string) =>
      (await ann.post("/api/messages", { channel_id, content })).body.chat_message;
    // The agent is logged in to both, and mentioned in both.
    for (const { slug } of [inside, outside])
      await full.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Whole" });
    await using reader = await EventReader.open(server.url, agent.credential);
    await using socket = await LiveSocket.open(server.url, agent.credential);
    const [there, here] = [await say(outside.id, "@Whole there"), await say(inside.id, "@Whole here")];
    await reader.next(({ event, data }) => event === "inbox:new" && data.item.chat_message.content === "@Whole here");
    await socket.next("inbox:new");
    expect(JSON.stringify([reader.events, socket.frames])).not.toContain("@Whole there");

    // A channel that exists, one that is hidden and one that does not exist are the same to it.
    for (const slug of [outside.slug, hidden.slug, "no-such-channel"]) {
      for (const [path, body] of [
        ["login", { agent_name: "Whole" }],
        ["send", { agent_name: "Whole", message: "Hello" }],
        ["typing", { agent_name: "Whole", typing: true }],
        ["logout", {}],
      ] as const)
        expectError(
          await agent.post(`/api/agenthub/${path}`, { channel_slug: slug, ...body }),
          403,
          "channel_not_in_scope",
        );
      for (const path of ["agenthub/messages", "agenthub/inbox", "agenthub/mentions", "search/messages", "messages"])
        expectError(await agent.get(`/api/${path}?channel_slug=${slug}&q=here`), 403, "channel_not_in_scope");
      const joined = await socket.ask("channel:join", { channel_slug: slug });
      expect(joined.data.code).toBe("channel_not_in_scope");
      expect((await agent.get(`/api/channels?channel_slug=${slug}`)).body.channels).toEqual([]);
    }
    for (const id of [outside.id, hidden.id, 999_999]) {
      for (const path of ["", "/members", "/online", "/pins", "/guard", "/files", "/export"])
        expectError(await agent.get(`/api/channels/${id}${path}`), 403, "channel_not_in_scope");
      for (const act of ["join", "leave"])
        expectError(await agent.post(`/api/channels/${id}/${act}`, {}), 403, "channel_not_in_scope");
    }
    expectError(await agent.get(`/api/messages/${there.id}/thread`), 403, "channel_not_in_scope");
    expectError(await agent.put(`/api/messages/${there.id}/reactions/like`), 403, "channel_not_in_scope");

    const { channels } = (await agent.get("/api/channels")).body;
    expect(channels.map(({ id }: { id: number }) => id)).toEqual([inside.id]);
    const me = (await agent.get("/api/agenthub/me")).body;
    expect(me).toMatchObject({ pending: 1, key: { channels: [inside.slug] }, channels: [{ channel_id: inside.id }] });
    expect(me.channels).toHaveLength(1);
    const found = await eventually("the message is indexed", async () => {
      const { body } = await agent.get("/api/search/messages?q=whole");
      return body.messages.length > 0 ? body.messages : null;
    });
    expect(found.map(({ id }: { id: number }) => id)).toEqual([here.id]);
    await using mcp = await currentClient(server.url, rotated.body.api_key, "auto");
    const { resources } = await mcp.raw.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      `parley://channel/${inside.slug}`,
      `parley://channel/${inside.slug}/pins`,
    ]);
    // Acknowledging everything leaves what is outside to other keys.
    const inbox = (await agent.get("/api/agenthub/inbox")).body;
    expect([inbox.count, inbox.remaining]).toEqual([1, 0]);
    expect((await agent.get("/api/agenthub/mentions?mark_read=false")).body).toMatchObject({ count: 1, remaining: 0 });
    const acked = await agent.post("/api/agenthub/inbox/ack", { up_to_item_id: inbox.last_item_id });
    expect(acked.body).toMatchObject({ acknowledged: 1, remaining: 0 });
    expect((await full.get("/api/agenthub/inbox")).body.count).toBe(1);
  });

  test("an owner names only channels that they or the agent can see; administrators and the command line any", async () => {
    const bea = await server.user(`bea${Date.now() % 10_000}`);
    const theirs = await newChannel(bea, { is_private: true });
    const { agentId } = await keyed({});
    const rotate = (channels: string[]) => ann.post(`${KEYS}/rotate`, { agent_id: agentId, channels });
    expectError(await rotate([theirs.slug]), 404, "channel_not_found");
    expectError(await rotate(["no-such-channel"]), 404, "channel_not_found");
    const ruth = await staff(server, "ruth", 2);
    const made = await ruth.post("/api/agents", { agent_name: "Scout", channels: [theirs.slug], scopes: ["read"] });
    expect([made.status, made.body.api_key]).toEqual([201, expect.any(String)]);
    const [own] = (await ruth.get("/api/agents")).body.agents;
    expect(own.keys).toMatchObject([{ scopes: ["read"], channels: [theirs.slug], expires_at: null }]);
  });
});

describe("rotation and expiry", () => {
  test("a key with limits replaces and ends only itself, and by none that may do more", async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const agent = await keyed({ scopes: ["read", "send"], channels: ["general"], expires_at: later });
    const other = (await ann.post(`${KEYS}/rotate`, { agent_id: agent.agentId, scopes: null, grace_seconds: 60 })).body;
    const rotate = (body: object) => agent.post(`${KEYS}/rotate`, { grace_seconds: 60, ...body });
    expectError(await rotate({ scopes: null }), 403, "insufficient_scope");
    expectError(await rotate({ scopes: ["pay"] }), 403, "insufficient_scope");
    expectError(await rotate({ channels: null }), 403, "channel_not_in_scope");
    expectError(await rotate({ expires_at: null }), 400, "invalid_request");
    expectError(await agent.delete(`${KEYS}/${other.key_id}`), 403, "insufficient_scope");
    const narrow = await rotate({ scopes: ["send"] });
    expect(narrow.status).toBe(201);
    expect((await withKey(narrow.body.api_key).get("/api/agenthub/me")).body).toMatchObject({
      scopes: ["send"],
      key: { channels: ["general"], expires_at: later },
    });
    // The owner's key works on, and kept what the rotation did not change.
    expect((await withKey(other.api_key).get("/api/agenthub/me")).body).toMatchObject({
      scopes: SCOPES,
      key: { channels: ["general"], expires_at: later },
    });
  });

  test("a key ends by itself, with its streams and sockets", async () => {
    const agent = await keyed({ expires_at: new Date(Date.now() + 1_000).toISOString() });
    await using reader = await EventReader.open(server.url, agent.credential);
    await using socket = await LiveSocket.open(server.url, agent.credential);
    const end = await reader.next(({ event }) => event === "stream:end");
    expect(end.data).toMatchObject({ success: false, code: "key_expired" });
    expect(await socket.whenClosed()).toMatchObject({ reason: "key_expired" });
    expectError(await agent.get("/api/agenthub/me"), 401, "key_expired");
    // Its owner gives it a new end, or none.
    const rotate = (body: object) => ann.post(`${KEYS}/rotate`, { agent_id: agent.agentId, ...body });
    expectError(await rotate({}), 400, "invalid_request");
    expect((await rotate({ expires_at: null })).status).toBe(201);
  });
});
