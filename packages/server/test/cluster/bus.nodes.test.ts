import { describe, expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

describe("three nodes on PostgreSQL and Redis", () => {
  /** Whether every node hears every other one. */
  const isGood = (nodes: readonly TestServer[]) => () => nodes.every(({ ctx }) => !ctx.broker.isDoubtful("c:1"));

  test("deliver what is sent on one node to the sockets of another, whatever its size", async () => {
    await using cluster = await startNodes(3, { bus: "redis" });
    const [first, , third] = cluster.nodes as [TestServer, TestServer, TestServer];
    await eventually("the bus works", isGood(cluster.nodes), 20_000);
    const ann = await first.user("ann");
    await using socket = await TestSocket.open(third.url);
    await socket.command("channel:join", { channel_slug: "general" });
    const texts = ["short", "€".repeat(3_000), "last"];
    for (const content of texts) {
      expect((await ann.post("/api/messages", { channel_slug: "general", content })).status).toBe(201);
    }
    const heard = () =>
      socket.frames.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message.content);
    await eventually("all is heard", () => heard().length === texts.length);
    expect(heard()).toEqual(texts);
  });

  test("go on without Redis, deliver everything all the same, and use it again when it is back", async () => {
    await using cluster = await startNodes(2, { bus: "redis" });
    const [first, second] = cluster.nodes as [TestServer, TestServer];
    await eventually("the bus works", isGood(cluster.nodes), 20_000);
    const ann = await first.user("ann");
    await using socket = await TestSocket.open(second.url);
    await socket.command("channel:join", { channel_slug: "general" });
    const say = async (content: string) => {
      expect((await ann.post("/api/messages", { channel_slug: "general", content })).status).toBe(201);
    };
    const heard = () =>
      socket.frames.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message.content);
    await say("with Redis");
    await cluster.redis?.stop();
    for (const content of ["without", "and again"]) await say(content);
    await eventually("what was sent without Redis is heard", () => heard().length === 3, 10_000);
    await cluster.redis?.start();
    await eventually("the bus works again", isGood(cluster.nodes), 20_000);
    await say("with Redis again");
    await eventually("all is heard", () => heard().length === 4);
    expect(heard()).toEqual(["with Redis", "without", "and again", "with Redis again"]);
  });

  test("can start while Redis is away, and refuse to with a wrong password", async () => {
    await using cluster = await startNodes(1, { bus: "redis" });
    const url = cluster.redis?.url ?? "";
    await cluster.redis?.stop();
    const late = await cluster.add();
    expect((await late.guest.get("/readyz")).body).toMatchObject({ status: "degraded" });
    await cluster.redis?.start();
    await eventually("the bus works", isGood(cluster.nodes), 20_000);
    const refusal = await cluster
      .add({ redisUrls: [url.replace("//", "//:guessed@")] })
      .catch((error: Error) => error.message);
    expect(refusal).toMatch(/has no password, but REDIS_URL names one/);
    expect(refusal).not.toContain("guessed");
  });

  test("hear nothing of another Parley with a copy of their data on the same Redis", async () => {
    await using cluster = await startNodes(1, { bus: "redis" });
    const [own] = cluster.nodes as [TestServer];
    await using socket = await TestSocket.open(own.url);
    const { data } = await socket.command("channel:join", { channel_slug: "general" });
    const topic = `parley:${own.ctx.epoch}:c:${data.channel.id}`;
    const frame = '{"event":"message:new","data":{}}';
    const text = `1 0123456789abcdef 1\nmessage:new ${data.last_seq + 1} ${frame.length}\n${frame}`;
    await cluster.redis?.command("PUBLISH", topic, text);
    await eventually("it is ignored", async () =>
      /parley_bus_foreign_total [1-9]/.test(await own.ctx.metrics.render()),
    );
    expect(socket.frames.filter(({ event }) => event === "message:new")).toEqual([]);
  });
});
