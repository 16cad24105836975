import { describe, expect, test } from "bun:test";
import type { InspectedNode } from "../../cluster/inspect.ts";
import { judgeClock, judgeConnections, judgeNodes } from "./cluster.ts";

const node = (name: string, more: Partial<InspectedNode> = {}): InspectedNode => ({
  ...{ id: name, name, version: "0.2.0", schema: 26, shards: "a:6379", state: "ready" },
  ...{ silentMs: 500, isLive: true, leases: 0, doubt: null, formerId: null, ...more },
});
const NODE = { redisUrls: ["redis://a:6379"] };
const LONE = { redisUrls: [] };

describe("what the doctor says about a cluster", () => {
  test("names the nodes, what they do, and who is silent", () => {
    const nodes = [
      node("one", { leases: 12 }),
      node("two", { state: "draining", leases: 1 }),
      node("three", { isLive: false, silentMs: 31_400 }),
    ];
    expect(judgeNodes(NODE, { nodes })).toEqual([
      { check: "nodes", state: "ok", text: "2 running: one (0.2.0, ready, 12 leases); two (0.2.0, draining, 1 lease)" },
      { check: "nodes", state: "advice", text: "silent: three for 31 s; if a node should run, read its log" },
    ]);
    expect(judgeNodes(NODE, { nodes: [] })).toEqual([{ check: "nodes", state: "ok", text: "none is running" }]);
  });

  test("reports nodes with different Redis servers, and a server that would be alone among nodes", () => {
    const nodes = [node("one"), node("two", { shards: "a:6379,b:6379" })];
    expect(judgeNodes(NODE, { nodes })[1]).toMatchObject({
      state: "problem",
      text: expect.stringContaining("(a:6379 | a:6379,b:6379)"),
    });
    expect(judgeNodes(LONE, { nodes })).toMatchObject([
      { state: "problem", text: expect.stringContaining("no REDIS_URL, and the nodes of a cluster use its database") },
    ]);
    expect(judgeNodes(LONE, { nodes: [] })).toEqual([]);
  });

  test("reports running nodes that doubt the bus, although Redis answers the doctor", () => {
    const nodes = [node("one"), node("two", { doubt: "Redis a:6379: node one is not heard" })];
    expect(judgeNodes(NODE, { nodes })).toMatchObject([
      { state: "ok" },
      {
        check: "nodes",
        state: "problem",
        text: expect.stringMatching(/^two does not trust .*\(Redis a:6379: node one/),
      },
    ]);
    const gone = [node("one"), node("two", { doubt: "Redis a:6379: node one is not heard", isLive: false })];
    expect(judgeNodes(NODE, { nodes: gone })).toMatchObject([{ state: "ok" }, { state: "advice" }]);
  });

  test("compares the clocks, and the pools with PostgreSQL's limit", () => {
    expect(judgeClock({ aheadMs: -140 })).toMatchObject({
      state: "ok",
      text: "this machine is 0.1 s behind the database",
    });
    expect(judgeClock({ aheadMs: 3_600_000 }).text).toBe(
      "this machine is 3600.0 s ahead of the database; synchronize both, for example with chrony",
    );
    const nodes = [node("one"), node("two")];
    const of = (limit: number, redisUrls: readonly string[]) =>
      judgeConnections({ redisUrls, postgresPool: 10 }, { nodes, connections: { limit, open: 7 } });
    expect(of(22, NODE.redisUrls)).toMatchObject({ state: "ok", text: "7 of 22 are open; 22 may be used here" });
    expect(of(21, NODE.redisUrls)).toMatchObject({ state: "advice", text: expect.stringContaining("max_connections") });
    expect(of(11, [])).toMatchObject({ state: "ok" });
  });
});
