import { describe, expect, test } from "bun:test";
import { agedPass } from "../../src/retention/aged.ts";
import { expirePass } from "../../src/retention/expired.ts";
import { FaultyBus } from "../support/cluster/faulty-bus.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually } from "../support/servers/test-server.ts";

const DAY = 86_400_000;

describe("retention on two nodes", () => {
  test("what one node removes is in no other node's memory, and is removed once by two at the same time", async () => {
    const bus = new FaultyBus(13);
    await using cluster = await startNodes(2, { bus, config: { rateLimits: "off", retentionDays: 1 } });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const ann = await one.user("ann");
    const bob = await two.user("bob");
    await using socket = await TestSocket.open(two.url);
    await socket.command("channel:join", { channel_slug: "general" });
    const send = async (content: string, more = {}) =>
      (await ann.post("/api/messages", { channel_slug: "general", content, ...more })).body;
    const old: number[] = [];
    for (let n = 0; n < 30; n += 1) old.push((await send(`old ${n}`)).message_id);
    const brief = (await send("brief", { expires_in: 60 })).message_id;
    await send("young");
    const seen = async () =>
      (await bob.get("/api/messages?channel_slug=general&limit=200")).body.messages.map(
        (one: { content: string }) => one.content,
      );
    expect(await seen()).toHaveLength(32);
    const past = Date.now() - 2 * DAY;
    await one.ctx.db.updateTable("messages").set({ created_at: past }).where("id", "in", old).execute();
    await one.ctx.db.updateTable("messages").set({ expires_at: past }).where("id", "=", brief).execute();
    const purge = async ({ ctx }: typeof one) => {
      let sum = 0;
      for await (const removed of agedPass(ctx)) sum += removed;
      return sum;
    };
    const removed = await Promise.all([purge(one), purge(two), expirePass(one.ctx), expirePass(two.ctx)]);
    expect((removed[0] ?? 0) + (removed[1] ?? 0)).toBe(30);
    await eventually("the other node forgets", async () => (await seen()).join() === "young");
    await eventually("it told its sockets", () => {
      const events = socket.frames.map(({ event }) => event);
      return events.includes("history:purged") && events.includes("message:delete");
    });
    const seqs = socket.frames.flatMap(({ data, ref }) =>
      ref === undefined && data.seq !== undefined ? [data.seq] : [],
    );
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(socket.frames.filter(({ event }) => event === "history:purged")).toHaveLength(1);
    const row = await one.ctx.db
      .selectFrom("channels")
      .select("purged_messages")
      .where("slug", "=", "general")
      .execute();
    expect(row).toEqual([{ purged_messages: 31 }]);
  });
});
