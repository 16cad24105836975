import { expect, test } from "bun:test";
import { CHANNELS_PER_SOCKET, MCP_SUBSCRIPTIONS_MAX, SOCKETS_PER_USER } from "@parley/protocol/limits";
import { countAgentStreams } from "../../src/agents/events/open-stream-limits.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { SETTINGS } from "./at-once.ts";
import { AT_ONCE } from "./limit-rows.ts";

const EVENT_STREAMS_PER_AGENT = 20;
const SOCKETS_PER_ADDRESS = 30;

const server = await forAllTests(startTestServer({ ...SETTINGS, socketsPerAddress: 1_000 }));

test("of sockets that one user opens at once, exactly the last permitted one opens", async () => {
  const ann = await server.user("ann");
  await using stack = new AsyncDisposableStack();
  const connect = async () => stack.use(await LiveSocket.open(server.url, ann.credential));
  for (let n = 1; n < SOCKETS_PER_USER; n++) await connect();
  const opened = await Promise.allSettled(Array.from({ length: AT_ONCE }, connect));
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("of channels that one socket joins at once, exactly the last permitted one is joined", async () => {
  const bob = await server.user("bob");
  const { db, clock } = server.ctx;
  const now = clock.now();
  const rows = Array.from({ length: CHANNELS_PER_SOCKET - 1 + AT_ONCE }, (_, n) => ({
    ...{ name: `room ${n}`, slug: `room-${n}`, is_private: 0, password_hash: null, owner_id: null, topic: null },
    ...({ description: null, pin_policy: "admins", post_policy: "everyone", agent_policy: "allow" } as const),
    ...{ slow_mode_seconds: 0, price: null, last_seq: 0, last_message_at: now, created_at: now, updated_at: now },
    ...{ deleted_at: null, purged_at: null },
  }));
  await db.insertInto("channels").values(rows).execute();
  await using socket = await LiveSocket.open(server.url, bob.credential);
  const join = (n: number) => socket.ask("channel:join", { channel_slug: `room-${n}` });
  for (let n = 0; n < CHANNELS_PER_SOCKET - 1; n++) expect(await join(n)).toMatchObject({ event: "ack" });
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => join(CHANNELS_PER_SOCKET - 1 + n)));
  expect(answers.filter(({ event }) => event === "ack")).toHaveLength(1);
  const codes = answers.filter(({ event }) => event !== "ack").map(({ data }) => (data as { code: string }).code);
  expect(new Set(codes)).toEqual(new Set(["too_many_channels"]));
});

test("of event streams that one agent opens at once, exactly the last permitted one opens", async () => {
  const agent = await server.agent();
  await using stack = new AsyncDisposableStack();
  const connect = async () => stack.use(await EventReader.open(server.url, agent.credential));
  for (let n = 1; n < EVENT_STREAMS_PER_AGENT; n++) await connect();
  const opened = await Promise.allSettled(Array.from({ length: AT_ONCE }, connect));
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refusals = opened.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(refusals.every((reason) => reason.includes("too_many_sockets"))).toBe(true);
});

test("of long polls that one agent sends at once, exactly the last permitted one waits", async () => {
  const agent = await server.agent();
  await using stack = new AsyncDisposableStack();
  await eventually("the streams of other tests are closed", () => countAgentStreams(server.ctx) === 0);
  for (let n = 1; n < EVENT_STREAMS_PER_AGENT; n++) stack.use(await EventReader.open(server.url, agent.credential));
  const leaving = new AbortController();
  const answers: number[] = [];
  const waits = Array.from({ length: AT_ONCE }, async () => {
    const url = `${server.url}/api/agenthub/inbox?wait=25`;
    const response = await fetch(url, { headers: agent.credential, signal: leaving.signal });
    answers.push(response.status);
  });
  const waiting = Promise.allSettled(waits);
  await eventually("the others are refused", () => answers.length === AT_ONCE - 1);
  expect(new Set(answers)).toEqual(new Set([429]));
  expect(countAgentStreams(server.ctx)).toBe(EVENT_STREAMS_PER_AGENT);
  leaving.abort();
  await waiting;
});

test("of resources that one agent subscribes to at once, exactly the last permitted one is subscribed", async () => {
  const agent = await server.agent();
  await using mcp = await currentClient(server.url, agent.apiKey, "auto");
  const { raw } = mcp;
  if (!("listen" in raw)) throw new Error("not the current client");
  const owner = await server.user("keeper");
  const uris: string[] = [];
  for (let n = 1; n < MCP_SUBSCRIPTIONS_MAX; n++) uris.push(`parley://channel/${(await newChannel(owner)).slug}`);
  await raw.listen({ resourceSubscriptions: uris });
  const listen = () => raw.listen({ resourceSubscriptions: ["parley://channel/general"] });
  const opened = await Promise.allSettled(Array.from({ length: AT_ONCE }, listen));
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("of sockets that one address opens at once, exactly the last permitted one opens", async () => {
  await using small = await startTestServer({ ...SETTINGS, socketsPerAddress: SOCKETS_PER_ADDRESS });
  await using stack = new AsyncDisposableStack();
  const connect = async () => stack.use(await LiveSocket.open(small.url, {}));
  for (let n = 1; n < SOCKETS_PER_ADDRESS; n++) await connect();
  const opened = await Promise.allSettled(Array.from({ length: AT_ONCE }, connect));
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
