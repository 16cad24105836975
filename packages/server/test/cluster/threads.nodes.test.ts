import { describe, expect, test } from "bun:test";
import { transact } from "../../src/db/transact.ts";
import { appendEvent, lockChannel } from "../../src/event-log/events.ts";
import { findMessage, updateMessage } from "../../src/messages/messages.store.ts";
import { recount } from "../../src/messages/threads/summaries.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, type TestServer } from "../support/servers/test-server.ts";

describe("threads on two nodes", () => {
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
    // A node of the release before deletes a reply without telling its root.
    const { messages } = (await one.guest.get(`/api/messages/${root}/thread?limit=100`)).body;
    const gone = messages.findLast(({ is_deleted }: { is_deleted: boolean }) => !is_deleted);
    await transact(one.ctx, async (ctx) => {
      await lockChannel(ctx, gone.channel_id);
      const row = await findMessage(ctx.db, gone.id);
      if (row === undefined) throw new Error("no reply");
      await updateMessage(ctx.db, gone.id, { deleted_at: ctx.clock.now(), content: "" });
      await appendEvent(ctx, gone.channel_id, "message:delete", {
        data: { message_id: gone.id },
        message: { row: { ...row, deleted_at: ctx.clock.now(), content: "" }, channelSlug: "general" },
      });
    });
    for (const node of [one, two]) {
      await eventually("the root counts again", async () => (await shared(node)).reply_count === 39);
    }
    for (const socket of [first, second]) {
      const told = ({ event, data }: (typeof socket.frames)[number]) =>
        event === "message:update" && data.chat_message.id === root && data.chat_message.thread.reply_count === 39;
      await eventually("sockets hear of it", () => socket.frames.some(told));
    }
    const before = await one.ctx.db.selectFrom("messages").select("thread").where("id", "=", root).execute();
    const counted = await transact(two.ctx, (ctx) => recount(ctx.db, root));
    expect(counted?.thread).toBe(before[0]?.thread as string);
  });
});
