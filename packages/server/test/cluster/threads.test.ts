import { describe, expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { recount } from "../../src/messages/threads/summaries.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { isPostgresReachable } from "../support/databases.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

describe.skipIf(!isPostgresReachable)("threads on two nodes", () => {
  test("say the same on both under concurrent replies and deletions, as does a recount", async () => {
    await using cluster = await startNodes(2, { bus: "memory", config: { rateLimits: "off" } });
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error("no nodes");
    const [ann, bob] = [await one.user("ann"), await two.user("bob")];
    const { message_id: root } = (await ann.post("/api/messages", { channel_slug: "general", content: "why?" })).body;
    using first = await TestSocket.open(one.url);
    using second = await TestSocket.open(two.url);
    for (const socket of [first, second]) await socket.command("channel:join", { channel_slug: "general" });
    const writers = [ann, bob];
    const reply = async (n: number): Promise<void> => {
      const who = writers[n % 2] ?? ann;
      const body = { channel_slug: "general", content: `reply ${n}`, thread_root_id: root };
      const answer = await who.post("/api/messages", body);
      expect(answer.status).toBe(201);
      if (n % 3 === 0) expect((await who.delete(`/api/messages/${answer.body.message_id}`)).status).toBe(200);
    };
    await Promise.all(Array.from({ length: 60 }, (_, n) => reply(n)));
    const shared = async (node: TestServer) => {
      const { body } = await node.guest.get("/api/messages?channel_slug=general&limit=100");
      return body.messages.find(({ id }: { id: number }) => id === root).thread;
    };
    await eventually(
      "both nodes agree",
      async () => (await shared(one)).reply_count === 40 && Bun.deepEquals(await shared(one), await shared(two)),
    );
    const thread = await shared(one);
    for (const socket of [first, second]) {
      const last = () =>
        socket.frames.findLast(({ event, data }) => event === "thread:update" && data.message_id === root);
      await eventually("each node tells its sockets", () => Bun.deepEquals(last()?.data.thread, thread));
    }
    const before = await one.ctx.db.selectFrom("messages").select("thread").where("id", "=", root).execute();
    const counted = await transact(two.ctx, (ctx) => recount(ctx.db, root));
    expect(counted?.thread).toBe(before[0]?.thread as string);
  }, 60_000);
});
