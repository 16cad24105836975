import { describe, expect, test } from "bun:test";
import { FaultyBus } from "../support/cluster/faulty-bus.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, type TestServer } from "../support/servers/test-server.ts";

const PAGE = "/api/messages?channel_slug=general&limit=200";

/** Starts nodes on a faulty bus, each with a writer and a socket that listens in #general. */
async function onFaultyBus(count: number, seed: number) {
  const stack = new AsyncDisposableStack();
  const bus = new FaultyBus(seed);
  const fatal: unknown[] = [];
  const overrides = { onFatal: (error: unknown) => void fatal.push(error) };
  const cluster = stack.use(await startNodes(count, { bus, config: { rateLimits: "off" }, overrides }));
  const writers: Client[] = [];
  const sockets: TestSocket[] = [];
  for (const [at, node] of cluster.nodes.entries()) {
    writers.push(await node.user(`writer${at}`));
    const socket = stack.use(await TestSocket.open(node.url));
    await socket.command("channel:join", { channel_slug: "general" });
    sockets.push(socket);
  }
  return {
    bus,
    nodes: cluster.nodes as TestServer[],
    /** The errors with which nodes ended themselves. */
    fatal,
    writers,
    sockets,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const say = async (writer: Client | undefined, content: string): Promise<number> => {
  const { status, body } = (await writer?.post("/api/messages", { channel_slug: "general", content })) ?? {};
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.seq;
};
const seqsOf = (socket: TestSocket): number[] =>
  socket.frames.flatMap(({ data, ref }) => (ref === undefined && data.seq !== undefined ? [data.seq] : []));
const upTo = (last: number): number[] => Array.from({ length: last }, (_, n) => n + 1);
const metric = async (node: TestServer, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec((await node.guest.get("/metrics")).body)?.[1]);

describe("feeds of several nodes", () => {
  test("deliver every event once and in order, whatever the bus loses, repeats and reorders", async () => {
    await using world = await onFaultyBus(3, 7);
    const { bus, nodes, writers, sockets } = world;
    const write = async (writer: Client, name: number) => {
      for (let n = 0; n < 60; n++) await say(writer, `${name} ${n}`);
    };
    await Promise.all([...writers, ...writers].map(write));
    bus.mode = "good";
    const last = await say(writers[0], "last");
    for (const [at, socket] of sockets.entries()) {
      await eventually(`node ${at} has delivered the last event`, () => seqsOf(socket).includes(last));
      expect(seqsOf(socket)).toEqual(upTo(last));
    }
    const [first, ...others] = await Promise.all(nodes.map(({ guest }) => guest.get(PAGE)));
    for (const other of others) expect(other.body).toEqual(first?.body);
    const repaired = await Promise.all(nodes.map((node) => metric(node, "parley_feed_gap_repairs_total")));
    expect(Math.min(...repaired)).toBeGreaterThan(0);
    expect(await metric(nodes[0] as TestServer, "parley_feed_early_events_total")).toBeGreaterThan(0);
  });

  test("show on every node what another one has acknowledged, on pages and to resuming sockets", async () => {
    await using world = await onFaultyBus(2, 11);
    const { bus, nodes, writers } = world;
    const [one, other] = nodes as [TestServer, TestServer];
    for (let n = 0; n < 150; n++) {
      bus.mode = n % 3 === 0 ? "deaf" : "shuffling";
      const seq = await say(writers[n % 2], `text ${n}`);
      const reader = n % 2 === 0 ? other : one;
      const { body } = await reader.guest.get(PAGE);
      expect(body.last_seq).toBeGreaterThanOrEqual(seq);
      expect(body.messages.at(-1).content).toBe(`text ${n}`);
      if (n % 10 !== 0) continue;
      await say(writers[n % 2], "seen by its writer");
      using socket = await TestSocket.open(reader.url);
      const joined = { channel_slug: "general", after_seq: seq, epoch: reader.ctx.epoch };
      const { data } = await socket.command("channel:join", joined);
      expect(data).toMatchObject({ recovered: true, last_seq: seq + 1 });
      expect(data.events).toHaveLength(1);
    }
  });

  test("read the last event of a channel that the bus lost, soon in doubt and at once when it ends", async () => {
    await using world = await onFaultyBus(2, 5);
    const { bus, nodes, writers, sockets } = world;
    bus.mode = "deaf";
    bus.isDoubtful = true;
    const seq = await say(writers[0], "lost in doubt");
    await eventually("it is read during the doubt", () => seqsOf(sockets[1] as TestSocket).includes(seq), 5_000);
    bus.isDoubtful = false;
    const next = await say(writers[0], "lost before the next doubt");
    bus.isDoubtful = true;
    bus.isDoubtful = false;
    await eventually("it is read when the doubt ends", () => seqsOf(sockets[1] as TestSocket).includes(next), 5_000);
    expect(await metric(nodes[1] as TestServer, "parley_feed_tail_repairs_total")).toBe(2);
  });

  test("read the last event that the bus lost without any doubt within a round of checks", async () => {
    await using world = await onFaultyBus(2, 5);
    world.bus.mode = "deaf";
    const seq = await say(world.writers[0], "lost");
    await eventually("it is read", () => seqsOf(world.sockets[1] as TestSocket).includes(seq), 30_000);
  });

  test("notice that the database has lost what they delivered, change the epoch once, and end", async () => {
    await using world = await onFaultyBus(2, 9);
    const { bus, nodes, writers } = world;
    bus.mode = "good";
    const [one, other] = nodes as [TestServer, TestServer];
    const { db, epoch } = one.ctx;
    const seq = await say(writers[0], "lost by a failover");
    await forget(one, seq);
    await other.guest.get(PAGE);
    const epochNow = () => db.selectFrom("meta").select("value").where("key", "=", "epoch").executeTakeFirstOrThrow();
    await eventually("the epoch has changed", async () => (await epochNow()).value !== epoch);
    const changed = (await epochNow()).value;
    await one.guest.get(PAGE);
    expect((await epochNow()).value).toBe(changed);
    await eventually("every node ends", () => world.fatal.length >= 2, 20_000);
  });

  test("notice that the database gives the number of a delivered event away again", async () => {
    await using world = await onFaultyBus(2, 9);
    const { bus, nodes, writers, sockets } = world;
    bus.mode = "good";
    const [one, other] = nodes as [TestServer, TestServer];
    const seq = await say(writers[0], "lost by a failover");
    await eventually("both have it", () => sockets.every((socket) => seqsOf(socket).includes(seq)));
    await forget(one, seq);
    await say(writers[1], "under the same number");
    await eventually("the epoch has changed", async () => {
      const { value } = await other.ctx.db
        .selectFrom("meta")
        .select("value")
        .where("key", "=", "epoch")
        .executeTakeFirstOrThrow();
      return value !== other.ctx.epoch;
    });
  });

  test("notice that the database has lost a control message that they have read, and end", async () => {
    await using world = await onFaultyBus(2, 9);
    world.bus.mode = "good";
    const [one] = world.nodes as [TestServer];
    const ann = await one.user("ann");
    expect((await ann.post("/api/auth/logout")).status).toBe(200);
    const newest = one.ctx.db.selectFrom("control_log").select((of) => of.fn.max("id").as("id"));
    await one.ctx.db.deleteFrom("control_log").where("id", "=", newest).execute();
    await eventually("every node ends", () => world.fatal.length >= 2, 20_000);
  });
});

/** Takes the newest message out of #general, as a failover to a standby that lags does. */
async function forget({ ctx: { db } }: TestServer, seq: number): Promise<void> {
  await db.deleteFrom("messages").where("seq", "=", seq).execute();
  await db
    .updateTable("channels")
    .set({ last_seq: seq - 1 })
    .where("slug", "=", "general")
    .execute();
}
