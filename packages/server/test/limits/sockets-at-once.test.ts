import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { CHANNELS_PER_SOCKET, SOCKETS_PER_USER } from "@parley/protocol/limits";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { SETTINGS } from "./at-once.ts";
import { AT_ONCE } from "./limit-rows.ts";

setDefaultTimeout(60_000);

const EVENT_STREAMS_PER_AGENT = 20;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ ...SETTINGS, socketsPerAddress: 1_000 });
});
afterAll(() => server[Symbol.asyncDispose]());

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
