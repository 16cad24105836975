import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { systemClock } from "../../src/clock.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { AppContext } from "../../src/context.ts";
import { openDatabase } from "../../src/db/database.ts";
import { transact } from "../../src/db/transact.ts";
import { appendEvent } from "../../src/event-log/events.ts";
import { appendQueue } from "../../src/messages/append/append.ts";
import { trustOf } from "../../src/realtime/control/trust.ts";
import { code } from "../support/actors.ts";
import { clockAhead } from "../support/clock.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { testContext } from "../support/context.ts";
import { openPlace } from "../support/databases.ts";
import { draftOf, emptyChannels } from "../support/drafts.ts";
import { CutProxy } from "../support/faults/cut-proxy.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Returns the numbers of all durable events of a channel, sorted. */
async function numbers(ctx: AppContext, channelId: number): Promise<number[]> {
  const messages = await ctx.db.selectFrom("messages").select("seq").where("channel_id", "=", channelId).execute();
  const events = await ctx.db.selectFrom("channel_events").select("seq").where("channel_id", "=", channelId).execute();
  return [...messages, ...events].map(({ seq }) => seq).sort((a, b) => a - b);
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test("a node that was paused stores nothing of what it had accepted before", async () => {
  const clock = clockAhead();
  await using cluster = await startNodes(1, { bus: "memory", overrides: { clock } });
  const { ctx } = cluster.nodes[0] as TestServer;
  const [channelId = 0] = await emptyChannels(ctx, 1);
  const send = () => appendQueue(ctx).add(draftOf(channelId, "hello"));
  await eventually("the node trusts itself", () => trustOf(ctx)?.isGood);
  const sends = [send(), send()];
  clock.ahead += 3_000;
  for (const answer of await Promise.allSettled(sends)) {
    expect(answer).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable" } });
  }
  await eventually("the node trusts itself again", () => trustOf(ctx)?.isGood);
  await send();
  expect(await numbers(ctx, channelId)).toEqual([1]);
});

describe("writers on several pools", () => {
  /** Opens the writers of `count` nodes on one schema. */
  async function writers(count: number, stack: AsyncDisposableStack): Promise<AppContext[]> {
    const { url } = stack.use(await openPlace());
    const made: AppContext[] = [];
    for (let n = 0; n < count; n++) {
      const config = { kind: "postgres", url } as const;
      const database = stack.use(await openDatabase(config, systemClock, { isShared: true, poolSize: 6 }));
      made.push(testContext(database, { cluster: {} as Cluster }));
    }
    return made;
  }

  test("store every message of the same channels once, without gaps or deadlocks, beside transactions", async () => {
    await using stack = new AsyncDisposableStack();
    const nodes = await writers(4, stack);
    const [first] = nodes;
    if (first === undefined) throw new Error("There is no node.");
    const channels = await emptyChannels(first, 5);
    let sent = 0;
    let events = 0;
    const write = async (ctx: AppContext, node: number) => {
      for (let round = 0; round < 25; round++) {
        // Each node begins with another channel.
        const order = channels.map((_, at) => channels[(at * 3 + node + round) % channels.length] ?? 0);
        const sends = [...order, ...order].map((channelId, at) =>
          appendQueue(ctx).add(draftOf(channelId, `${node} ${round} ${at}`)),
        );
        sent += sends.length;
        events += 1;
        const event = transact(ctx, (ctx) => appendEvent(ctx, order[0] ?? 0, "message:update", {}));
        await Promise.all([...sends, event]);
      }
    };
    await Promise.all(nodes.map(write));
    let found = 0;
    for (const channelId of channels) {
      const all = await numbers(first, channelId);
      expect(all).toEqual(upTo(all.length));
      found += all.length;
    }
    expect(found).toBe(sent + events);
  });

  test("store a message once that is sent through all of them, and mixed orders of keys do not end in an error", async () => {
    await using stack = new AsyncDisposableStack();
    const nodes = await writers(3, stack);
    const [first] = nodes;
    if (first === undefined) throw new Error("There is no node.");
    const channels = await emptyChannels(first, 4);
    for (let round = 0; round < 20; round++) {
      const keys = Array.from({ length: 8 }, (_, at) => `u1:${round} ${at}`);
      const answers = await Promise.all(
        nodes.flatMap((ctx, node) =>
          (node % 2 === 0 ? keys : keys.toReversed()).map((client_key, at) =>
            appendQueue(ctx).add(
              draftOf(channels[(node % 2 === 0 ? at : 7 - at) % 4] ?? 0, client_key, { client_key }),
            ),
          ),
        ),
      );
      expect(new Set(answers.map(({ row }) => row.id)).size).toBe(keys.length);
      expect(answers.filter(({ deduplicated }) => !deduplicated)).toHaveLength(keys.length);
    }
    for (const channelId of channels) expect(await numbers(first, channelId)).toEqual(upTo(40));
  });

  test("answer one of two different messages with the same key, whatever their channels", async () => {
    await using stack = new AsyncDisposableStack();
    const nodes = await writers(2, stack);
    const [first] = nodes;
    if (first === undefined) throw new Error("There is no node.");
    const channels = await emptyChannels(first, 8);
    for (let round = 0; round < 20; round++) {
      const settled = await Promise.allSettled(
        nodes.flatMap((ctx) =>
          channels.map((id) => appendQueue(ctx).add(draftOf(id, `${id}`, { client_key: `u1:${round}` }))),
        ),
      );
      const stored = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(new Set(stored.map(({ row }) => row.id)).size).toBe(1);
      for (const each of settled)
        if (each.status === "rejected") expect(each.reason).toEqual(code("idempotency_conflict"));
    }
  });
});

describe("three servers that write the same channels", () => {
  test("deliver every message everywhere, once and in order", async () => {
    await using cluster = await startNodes(3, { bus: "memory", config: { rateLimits: "off" } });
    const [home] = cluster.nodes;
    const ann = await home?.user("ann");
    if (ann === undefined) throw new Error("There is no node.");
    for (const name of ["east", "west"]) await ann.post("/api/channels", { name });
    const sockets = await Promise.all(
      cluster.nodes.map(async ({ url }) => {
        const socket = await TestSocket.open(url, ann.credential);
        for (const slug of ["east", "west"]) await socket.command("channel:join", { channel_slug: slug });
        return socket;
      }),
    );
    const answers = await Promise.all(
      cluster.nodes.flatMap(({ url }, node) =>
        Array.from({ length: 60 }, (_, at) =>
          new Client(url, ann.credential).post("/api/messages", {
            channel_slug: at % 2 === 0 ? "east" : "west",
            content: `${node} ${at}`,
          }),
        ),
      ),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    for (const socket of sockets) {
      const heard = () => socket.frames.filter(({ event }) => event === "message:new");
      await eventually("all are heard", () => heard().length === answers.length);
      const channels = Map.groupBy(heard(), ({ data }) => data.channel_id);
      for (const frames of channels.values()) {
        const seqs = frames.map(({ data }) => data.seq);
        expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at));
      }
      socket[Symbol.dispose]();
    }
  });
});

describe("a server whose connection breaks while a message waits for a lock", () => {
  test("delivers the message when it is stored after all", async () => {
    await using place = await openPlace();
    const { proxy, url } = await CutProxy.to(place.url);
    await using _proxy = proxy;
    await using server = await startTestServer({ database: { kind: "postgres", url } });
    const ann = await server.user("ann");
    const bob = await server.user("bob");
    // This makes them members.
    for (const user of [ann, bob]) await user.post("/api/messages", { channel_slug: "general", content: "hello" });
    using socket = await TestSocket.open(server.url, bob.credential);
    await socket.command("channel:join", { channel_slug: "general" });
    await using other = await openDatabase({ kind: "postgres", url: place.url }, systemClock, { mode: "tool" });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
    const holding = other.db.transaction().execute(async (trx) => {
      await trx.selectFrom("channels").select("id").forUpdate().execute();
      locked();
      await isReleased;
    });
    await isLocked;
    const sending = ann.post("/api/messages", { channel_slug: "general", content: "@bob late" });
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%insert into messages%'`;
    const isWaiting = async () => (await waiting.execute(other.db)).rows.length > 0;
    await eventually("the statement waits", isWaiting);
    proxy.cut();
    expect((await sending).status).toBe(503);
    proxy.mend();
    release();
    await holding;
    const heard = (event: string) => socket.frames.filter((frame) => frame.event === event);
    await eventually("bob hears it", () => heard("message:new").length > 0 && heard("mention:new").length > 0);
    expect([heard("message:new").length, heard("mention:new").length]).toEqual([1, 1]);
  });
});
