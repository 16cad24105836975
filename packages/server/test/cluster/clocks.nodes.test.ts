import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { newChannel } from "../support/new-channel.ts";
import { Client, logIn, signUp } from "../support/servers/test-server.ts";

const HOUR_MS = 3_600_000;

/** Nodes whose clocks are an hour early, right, and an hour late. */
describe("nodes whose clocks are an hour apart", () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(0, { bus: "memory" });
    for (const hours of [-1, 0, 1]) {
      await cluster.add({}, { clock: { ...systemClock, now: () => systemClock.now() + hours * HOUR_MS } });
    }
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const user = (n: number, name: string) => signUp(cluster.nodes[n]?.url ?? "", name);
  const on = (n: number, client: Client) => new Client(cluster.nodes[n % 3]?.url ?? "", client.credential);

  test("never let the times of a channel's messages go back", async () => {
    const ann = await user(0, "ann");
    const { id } = await newChannel(ann);
    for (let n = 0; n < 9; n++) {
      const sent = await on(2 * n, ann).post("/api/messages", { channel_id: id, content: `message ${n}` });
      expect(sent.status).toBe(201);
    }
    const { body } = await on(1, ann).get(`/api/messages?channel_id=${id}&limit=50`);
    const times = body.messages.map(({ created_at }: { created_at: string }) => Date.parse(created_at));
    expect(times).toHaveLength(9);
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
  });

  test("accept each other's sessions, and end them everywhere", async () => {
    await user(2, "bea");
    const bea = await logIn(cluster.nodes[0]?.url ?? "", "bea");
    for (const n of [0, 1, 2]) expect((await on(n, bea).get("/api/auth/sessions")).status).toBe(200);
    expect((await on(1, bea).post("/api/auth/logout")).status).toBe(200);
    for (const n of [0, 1, 2]) expect((await on(n, bea).get("/api/auth/sessions")).status).toBe(401);
  });

  test("all count as alive", async () => {
    for (const { ctx } of cluster.nodes) {
      await ctx.cluster?.refresh();
      expect(ctx.cluster?.nodes).toHaveLength(3);
    }
  });
});
