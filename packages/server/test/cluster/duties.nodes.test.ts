import { describe, expect, test } from "bun:test";
import { startBackgroundJob } from "../../src/base/background-job.ts";
import { runOnOne } from "../../src/cluster/duties.ts";
import { leases } from "../../src/cluster/leases.ts";
import { usualTiming } from "../../src/timing.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { eventually } from "../support/servers/test-server.ts";

const EVERY_MS = 20;
const PASSES = 200;

describe("the duties of a cluster", () => {
  test("run on three nodes as often as on one, and go on when the node that does them ends", async () => {
    await using cluster = await startNodes(3, { bus: "memory" });
    const passes = new Map<string, number>();
    for (const { ctx, config } of cluster.nodes) {
      const name = config.nodeName ?? "";
      runOnOne(ctx, "count", EVERY_MS, "counting failed", async () => passes.set(name, (passes.get(name) ?? 0) + 1));
    }
    const holder = await eventually("a node does the work", () => [...passes.keys()][0]);

    // A lone server does the same number of passes in that time.
    const closers: (() => void | Promise<void>)[] = [];
    let alone = 0;
    passes.clear();
    const onClose = (act: () => void | Promise<void>) => void closers.push(act);
    const host = { log: { warn: () => {} }, timing: usualTiming, onClose };
    startBackgroundJob(host, EVERY_MS, "counting failed", async () => alone++);
    await eventually("enough passes", () => alone >= PASSES);
    for (const close of closers) await close();
    expect([...passes.keys()]).toEqual([holder]);
    const share = (passes.get(holder) ?? 0) / alone;
    expect(share).toBeGreaterThan(0.95);
    expect(share).toBeLessThan(1.05);

    const own = cluster.nodes.find(({ config }) => config.nodeName === holder);
    await own?.[Symbol.asyncDispose]();
    passes.clear();
    const next = await eventually("another node does the work", () => [...passes.keys()][0]);
    expect(next).not.toBe(holder);
  });

  test("are held by one node each", async () => {
    await using cluster = await startNodes(3, { bus: "memory" });
    const held = () => cluster.nodes.flatMap(({ ctx }) => leases(ctx).held);
    await eventually("all are held", () => held().includes("sweep packets") && held().includes("sweep mentions"));
    expect(new Set(held()).size).toBe(held().length);
  });
});
