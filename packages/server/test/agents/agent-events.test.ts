import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { sweepAgentPresence } from "../../src/agents/agent-presence.ts";
import { EventStream } from "../../src/agents/events/event-stream.ts";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { readMentions } from "../../src/agents/mentions/mentions.service.ts";
import type { AgentIdentity } from "../../src/http/identity.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { channelTopic } from "../../src/realtime/topics.ts";
import { stillClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/config.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";

/** Protocol §5 and §8 over real HTTP: an agent's event stream, and its presence over time. */

const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }));
const ann = await server.user("ann");

/** Returns an agent that is logged in to its own channel. */
async function present() {
  const here = await newChannel(ann);
  const name = `Helper ${here.id}`;
  const agent = await server.agent(name);
  const login = (slug: string) => agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: name });
  expect((await login(here.slug)).status).toBe(200);
  return { ...here, agent, name, login };
}

const say = async (channelId: number, content: string) =>
  (await ann.post("/api/messages", { channel_id: channelId, content })).body.chat_message;
const said = (reader: EventReader) =>
  reader.events.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message.content);

describe("GET /api/agenthub/events", () => {
  test("streams events of its channels with ids, and mentions from any channel", async () => {
    const { id, agent, name } = await present();
    const elsewhere = await newChannel(ann);
    await using reader = await EventReader.open(server.url, agent.credential);
    expect(reader.response.headers.get("content-type")).toStartWith("text/event-stream");
    expect(reader.response.headers.get("cache-control")).toBe("no-store");
    const message = await say(id, "hello");
    const event = await reader.next(({ event }) => event === "message:new");
    expect(event).toEqual({
      event: "message:new",
      id: expect.stringContaining(`${id}:${message.seq}@`),
      data: { channel_id: id, seq: message.seq, chat_message: message },
    });
    await say(elsewhere.id, "unheard");
    await say(elsewhere.id, `@${name} come`);
    const heard = await reader.next(({ event }) => event === "mention:new");
    expect(heard).toMatchObject({
      id: expect.stringContaining(`${id}:${message.seq}@`),
      data: { channel_id: elsewhere.id, chat_message: { content: `@${name} come` } },
    });
    expect(said(reader)).toEqual(["hello"]);
  });

  test("follows logins and logouts while the stream is open", async () => {
    const { id, agent, login } = await present();
    const second = await newChannel(ann);
    await using reader = await EventReader.open(server.url, agent.credential);
    await say(second.id, "too early");
    await login(second.slug);
    await say(second.id, "in time");
    await reader.next(({ data }) => data.chat_message?.content === "in time");
    await agent.post("/api/agenthub/logout", { channel_slug: second.slug });
    await say(second.id, "too late");
    await say(id, "still here");
    await reader.next(({ data }) => data.chat_message?.content === "still here");
    expect(said(reader)).toEqual(["in time", "still here"]);
  });

  test("ends within two seconds after the key is revoked, and removes the agent from the online list", async () => {
    const { id, agent } = await present();
    await using reader = await EventReader.open(server.url, agent.credential);
    await revokeKey({ db: server.ctx.db, clock: server.ctx.clock }, agent.keyId);
    const end = await reader.next(({ event }) => event === "stream:end", 2_000);
    expect(end.data).toMatchObject({ success: false, code: "key_revoked" });
    await reader.ended;
    await eventually(
      "the agent is offline",
      async () => (await ann.get(`/api/channels/${id}/online`)).body.users.length === 0,
    );
  });

  test("ends at once, like a wait, if the key is revoked between its check and the response", async () => {
    const { ctx } = server;
    const { agentId, keyId } = await server.agent();
    const caller: AgentIdentity = { kind: "agent", agentId, keyId, key: `a${agentId}` };
    await revokeKey(ctx, keyId);
    publishControl(ctx, "key_revoked", keyId);
    expect(await new Response(new EventStream(ctx, caller, null).body).text()).toContain("key_revoked");
    const waiting = readMentions(ctx, caller, { wait: 30 }, new AbortController().signal);
    await expect(waiting).rejects.toMatchObject({ code: "key_revoked" });
  });

  test("disconnects a reader that does not read, and no other reader", async () => {
    const { id, agent } = await present();
    await using reader = await EventReader.open(server.url, agent.credential);
    const { port, hostname, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const head = `GET /api/agenthub/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${agent.credential.authorization}\r\n\r\n`;
    socket.write(head);
    await new Promise<void>((resolve) => socket.once("data", () => resolve(void socket.pause())));
    const topic = channelTopic(id);
    const holders = server.ctx.hub.holders(topic);
    const data = { channel_id: id, kind: "user", name: "x".repeat(50_000), typing: true };
    const frame = JSON.stringify({ event: "typing", data });
    let sent = 0;
    await eventually("it is let go", () => {
      server.ctx.broker.publish(topic, [{ event: "typing", frame }]);
      sent++;
      return server.ctx.hub.holders(topic) < holders;
    });
    socket.destroy();
    await eventually(
      "the other has all",
      () => reader.events.filter(({ event }) => event === "typing").length === sent,
    );
    expect(server.ctx.hub.holders(topic)).toBe(holders - 1);
  });

  test("lets an agent hold twenty streams, and frees a place when one closes", async () => {
    const agent = await server.agent();
    const readers = await Promise.all(Array.from({ length: 20 }, () => EventReader.open(server.url, agent.credential)));
    expect(await agent.get("/api/agenthub/events")).toMatchObject({ status: 429, body: { code: "too_many_sockets" } });
    for (const reader of readers) await reader[Symbol.asyncDispose]();
    await eventually("there is room", async () => {
      const again = await EventReader.open(server.url, agent.credential).catch(() => null);
      await again?.[Symbol.asyncDispose]();
      return again !== null;
    });
  });
});

test("an agent's presence survives a restart, and streams and waits end with the server", async () => {
  const dataDir = temporaryFolder();
  const first = await startTestServer({ dataDir, database: { kind: "sqlite", path: `${dataDir}/parley.sqlite` } });
  const agent = await first.agent("Keeper");
  await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Keeper" });
  const reader = await EventReader.open(first.url, agent.credential);
  const waiting = agent.get("/api/agenthub/mentions?wait=30");
  await eventually("it waits", () => first.ctx.hub.holders(`a:${agent.agentId}`) > 1);
  await first[Symbol.asyncDispose]();
  // A drain cuts off what it waited for in vain: the wait of half a minute is answered before.
  expect(await waiting).toMatchObject({ status: 200, body: { mentions: [] } });
  await reader.ended;
  expect(reader.events.map(({ event }) => event)).toContain("server:draining");
  await using second = await startTestServer({
    dataDir,
    database: { kind: "sqlite", path: `${dataDir}/parley.sqlite` },
  });
  const { body } = await second.guest.get("/api/channels/1/online");
  expect(body.users).toMatchObject([{ kind: "agent", name: "Keeper" }]);
  const again = new Client(second.url, agent.credential);
  expect((await again.post("/api/agenthub/logout")).body.was_online).toBe(true);
});

test("an agent's presence lapses an hour after its last call, and the channel is notified", async () => {
  const clock = stillClock();
  await using server = await startTestServer({}, { clock });
  const [idle, busy] = [await server.agent("Idle"), await server.agent("Busy")];
  for (const [agent, agent_name] of [
    [idle, "Idle"],
    [busy, "Busy"],
  ] as const) {
    expect((await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name })).status).toBe(200);
  }
  await using reader = await EventReader.open(server.url, busy.credential);
  clock.advance(59 * 60_000);
  await busy.get("/api/agenthub/mentions");
  clock.advance(60_000);
  await sweepAgentPresence(server.ctx);
  const list = await reader.next(({ event, data }) => event === "user:list" && data.count === 1);
  expect(list.data.users).toMatchObject([{ kind: "agent", name: "Busy" }]);
});
