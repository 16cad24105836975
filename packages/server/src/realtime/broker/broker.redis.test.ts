import { describe, expect, test } from "bun:test";
import { openBench } from "../../../test/support/cluster/redis-bench.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import { brokerConformance } from "./broker.conformance.ts";
import type { Broker, BrokerMessage } from "./broker.ts";

const event = (n: number): BrokerMessage => ({ event: "e", frame: `${n}`, seq: n });

function hear(broker: Broker): number[] {
  const heard: number[] = [];
  broker.onMessages((_, messages) => void heard.push(...messages.map(({ seq }) => seq ?? -1)));
  return heard;
}

const begins = (nodes: readonly Broker[]) =>
  eventually("the doubt begins", () => nodes.every((node) => node.isDoubtful("c:1")), 20_000);
const ends = (nodes: readonly Broker[]) =>
  eventually("the doubt ends", () => !nodes.some((node) => node.isDoubtful("c:1")), 20_000);

describe("on Redis", () => {
  brokerConformance("RedisBroker", (count) => openBench(count));
  brokerConformance("RedisBroker on three servers", (count) => openBench(count, { servers: 3 }));
});

describe("brokers on a Redis", () => {
  test("that hangs in one direction replace their connections, and doubt until they hear again", async () => {
    await using bench = await openBench(2);
    bench.proxy.hang("down");
    await begins(bench.nodes);
    // Whether the connections that hang are closed now shows when new ones are good.
    bench.proxy.cut();
    bench.proxy.mend();
    await ends(bench.nodes);
    const [numbers] = bench.pair[0].numbers.shards;
    expect(numbers?.reconnects).toBeGreaterThan(0);
  });

  test("that was killed and started again use it with all topics, and log the outage once", async () => {
    await using bench = await openBench(2);
    const [first, second] = bench.pair;
    const heard = hear(second);
    await second.subscribe("c:1");
    await bench.redis.stop();
    await begins(bench.nodes);
    for (let n = 0; n < 100; n++) first.publish("c:1", [event(1)]);
    await second.subscribe("c:2");
    await eventually("it is logged", () => bench.lines.length === 2);
    await bench.redis.start();
    await ends(bench.nodes);
    first.publish("c:1", [event(2)]);
    first.publish("c:2", [event(3)]);
    await bench.settle();
    expect(heard).toEqual([2, 3]);
    expect(first.numbers.shards[0]?.dropped).toBeGreaterThanOrEqual(99);
    expect(bench.lines.map((line) => line.split(":")[0]?.split(" {")[0])).toEqual([
      "the bus is doubtful",
      "the bus is doubtful",
      "the bus works again",
      "the bus works again",
    ]);
  });

  test("that stands still for some seconds doubt it, and trust it when it goes on", async () => {
    await using bench = await openBench(2);
    const [first, second] = bench.pair;
    const heard = hear(second);
    await second.subscribe("c:1");
    bench.redis.pause();
    await begins(bench.nodes);
    await second.subscribe("c:2");
    bench.redis.resume();
    await ends(bench.nodes);
    heard.length = 0;
    first.publish("c:2", [event(4)]);
    await bench.settle();
    expect(heard).toEqual([4]);
  });

  test("that is flushed deliver as before", async () => {
    await using bench = await openBench(2);
    const [first, second] = bench.pair;
    const heard = hear(second);
    await second.subscribe("c:1");
    await bench.redis.command("FLUSHALL");
    first.publish("c:1", [event(1)]);
    await bench.settle();
    expect(heard).toEqual([1]);
    expect(second.isDoubtful("c:1")).toBe(false);
  });

  test.each(["pubsub", "normal"])("that closes their %s connections lose nothing unnoticed", async (type) => {
    await using bench = await openBench(2);
    const [first, second] = bench.pair;
    const heard = hear(second);
    await second.subscribe("c:1");
    let doubts = 0;
    second.onHealth(() => {
      if (second.isDoubtful("c:1")) doubts++;
    });
    await bench.redis.command("CLIENT", "KILL", "TYPE", type);
    for (let n = 1; n <= 20; n++) first.publish("c:1", [event(n)]);
    await eventually("a doubt began", () => doubts > 0, 20_000);
    await bench.connected();
    await ends(bench.nodes);
    heard.length = 0;
    first.publish("c:1", [event(21)]);
    await bench.settle();
    expect(heard).toEqual([21]);
  });

  test("ignore what other applications and other Parleys publish, and say so once", async () => {
    await using bench = await openBench(2);
    const [first, second] = bench.pair;
    const heard = hear(second);
    await second.subscribe("c:1");
    const noise = [
      "",
      "hello",
      "{}",
      "1 2 3",
      "1 node1",
      "1 node1 5\nx",
      "1 node1 1\ne 1 999\nabc",
      "1 other 1\ne 7 1\nx",
    ];
    for (const text of [...noise, ...noise]) {
      await bench.redis.command("PUBLISH", "parley:e:c:1", text);
      await bench.redis.command("PUBLISH", "parley:e:beat", text);
    }
    first.publish("c:1", [event(1)]);
    await bench.settle();
    expect(heard).toEqual([1]);
    expect(bench.cluster.refreshes).toBeWithin(1, 4);
    expect(second.numbers.foreign).toBeGreaterThan(8);
    expect(bench.lines.filter((line) => line.includes("not in the database"))).toHaveLength(2);
  });

  test("hold what a new node publishes until the database shows that node", async () => {
    await using bench = await openBench(2);
    const [, second] = bench.pair;
    const heard = hear(second);
    await second.subscribe("c:1");
    const known = bench.cluster.nodes;
    bench.cluster.onRefresh = () => bench.cluster.join("");
    for (const n of [1, 2]) await bench.redis.command("PUBLISH", "parley:e:c:1", `1 node3 1\ne ${n} 1\n${n}`);
    await eventually("both are passed on", () => heard.length === 2);
    expect(heard).toEqual([1, 2]);
    expect(known).toHaveLength(2);
  });

  test("report a gap for a publication of a newer release", async () => {
    await using bench = await openBench(2);
    const [, second] = bench.pair;
    const gaps: unknown[] = [];
    second.onGap((topic, seq) => gaps.push([topic, seq]));
    await second.subscribe("c:1");
    await bench.redis.command("PUBLISH", "parley:e:c:1", "2 node1 something new");
    await eventually("the gap is reported", () => gaps.length > 0);
    expect(gaps).toEqual([["c:1", null]]);
  });

  test("doubt while a node has another list of servers, and name the node", async () => {
    await using bench = await openBench(2);
    bench.cluster.join("elsewhere:6379", "odd");
    await begins(bench.nodes);
    await eventually("it is logged", () =>
      bench.lines.some((line) => line.includes("node odd uses other Redis servers")),
    );
    bench.cluster.nodes = bench.cluster.nodes.filter(({ id }) => id !== "odd");
    await ends(bench.nodes);
  });
});
