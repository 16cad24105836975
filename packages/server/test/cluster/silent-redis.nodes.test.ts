import { describe, expect, test } from "bun:test";
import { checkCluster } from "../../src/command-line/doctor/cluster.ts";
import { inspectDatabase } from "../../src/db/inspect.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { CutProxy } from "../support/faults/cut-proxy.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

const LOAD_MS = 30_000;

describe("nodes whose Redis falls silent", () => {
  test("are degraded, tell the doctor, and are ready again although no old connection ever answers", async () => {
    await using cluster = await startNodes(0, { bus: "redis" });
    const { proxy, url } = await CutProxy.to(cluster.redis?.url ?? "");
    await using _ = proxy;
    const nodes = [await cluster.add({ redisUrls: [url] }), await cluster.add({ redisUrls: [url] })];
    const all = async (status: string) => {
      const answers = await Promise.all(nodes.map(({ guest }) => guest.get("/readyz")));
      return answers.every(({ body }) => body.status === status);
    };
    await eventually("all are ready", () => all("ready"), LOAD_MS);
    proxy.hang();
    await eventually("all are degraded", () => all("degraded"), LOAD_MS);
    const [{ ctx }] = nodes as [TestServer, TestServer];
    const database = await inspectDatabase(ctx.config.database);
    const doubts = async () =>
      (await checkCluster(ctx.config, database)).filter(({ check, state }) => check === "nodes" && state === "problem");
    await eventually("the doctor knows of both", async () => (await doubts()).length === 2, LOAD_MS);
    expect((await doubts())[0]?.text).toMatch(/^node-1 does not trust the bus .*\(Redis 127\.0\.0\.1:\d+: /);
    proxy.strand();
    await eventually("all are ready again", () => all("ready"), LOAD_MS);
    await eventually("the doctor has no more to say", async () => (await doubts()).length === 0, LOAD_MS);
  });
});
