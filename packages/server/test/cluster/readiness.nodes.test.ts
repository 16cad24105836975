import { describe, expect, test } from "bun:test";
import { trustOf } from "../../src/realtime/control/trust.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { onPostgres } from "../support/databases.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

describe("the readiness of a node", () => {
  test("is degraded while the bus is doubtful, and the node serves all the same", async () => {
    await using cluster = await startNodes(2, { bus: "memory" });
    const [first, second] = cluster.nodes;
    expect(await first?.guest.get("/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
    cluster.bus.isDoubtful = true;
    for (const node of [first, second]) {
      expect(await node?.guest.get("/readyz")).toMatchObject({ status: 200, body: { status: "degraded" } });
    }
    const ann = await first?.user("ann");
    expect((await ann?.post("/api/messages", { channel_slug: "general", content: "hello" }))?.status).toBe(201);
    cluster.bus.isDoubtful = false;
    expect(await second?.guest.get("/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
  });

  test("does not depend on requests, which may use all connections to PostgreSQL", async () => {
    await using cluster = await startNodes(1, { bus: "memory" });
    const { ctx } = cluster.nodes[0] as TestServer;
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let busy = 0;
    const requests = Array.from({ length: 8 }, () =>
      ctx.db.transaction().execute(async () => {
        busy += 1;
        await isOver;
      }),
    );
    await eventually("no connection is free", () => busy === 3);
    const began = ctx.clock.monotonic();
    await eventually("the control log is read", () => (ctx.metrics.control.readAt ?? 0) > began);
    await eventually("the heart beats", () => (ctx.cluster?.heartbeatAgeMs ?? 0) < ctx.clock.monotonic() - began);
    expect(trustOf(ctx)?.isGood).toBe(true);
    end();
    await Promise.allSettled(requests);
  });

  test("all nodes end when the epoch of the data changes", async () => {
    const fatal: unknown[] = [];
    await using cluster = await startNodes(2, { bus: "memory", overrides: { onFatal: (error) => fatal.push(error) } });
    await onPostgres("update meta set value = 'another' where key = 'epoch'", cluster.databaseUrl);
    await eventually("both have ended", () => fatal.length === 2);
    for (const error of fatal) expect(String(error)).toContain("must be started again");
  });

  test("shows in metrics beside the other nodes and the leases", async () => {
    await using cluster = await startNodes(2, { bus: "memory" });
    const [first] = cluster.nodes;
    await first?.ctx.cluster?.refresh();
    const { body } = (await first?.guest.get("/metrics")) ?? {};
    expect(body).toMatch(/^parley_cluster_nodes 2$/m);
    expect(body).toMatch(/^parley_cluster_node_info\{id="\w+",name="node-1"\} 1$/m);
    expect(body).toMatch(/^parley_cluster_clock_skew_seconds -?0(\.\d+)?$/m);
    expect(body).toMatch(/^parley_cluster_heartbeat_age_seconds \d/m);
    expect(body).toMatch(/^parley_cluster_leases \d+$/m);
  });
});
