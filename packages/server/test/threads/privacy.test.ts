import { expect, test } from "bun:test";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { eachDatabase } from "../support/databases.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Threads in a copy of a user's data, and after an erasure (protocol §13.1). */
eachDatabase((_, open) => {
  test("a copy holds the follows of a user; an erasure removes them, and the name from all threads", async () => {
    await using server = await startTestServer({}, { database: await open() });
    const [ann, bob] = [await server.user("ann"), await server.user("bobolink")];
    const say = async (who: typeof ann, more = {}): Promise<number> =>
      (await who.post("/api/messages", { channel_slug: "general", content: "hello", ...more })).body.message_id;
    const [root, other] = [await say(ann), await say(ann)];
    await say(bob, { thread_root_id: root });
    await say(ann, { thread_root_id: root });
    await bob.put(`/api/messages/${other}/thread/follow`);
    await bob.delete(`/api/messages/${other}/thread/follow`);
    const { threads } = (await bob.get("/api/user/bobolink/export")).body;
    expect(threads).toMatchObject([
      { message_id: root, following: true },
      { message_id: other, following: false },
    ]);
    expect((await bob.delete("/api/user/bobolink", { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    const { messages } = (await ann.get("/api/messages?channel_slug=general")).body;
    const shown = messages.find(({ id }: { id: number }) => id === root).thread;
    expect(shown.reply_count).toBe(2);
    expect(shown.participants.map(({ name }: { name: string }) => name)).toEqual([
      "ann",
      expect.stringMatching(/deleted/i),
    ]);
    const page = (await ann.get(`/api/messages/${root}/thread`)).body;
    expect(JSON.stringify([messages, page])).not.toContain("bobolink");
    const columns = await server.ctx.db
      .selectFrom("messages")
      .select("thread")
      .where("thread", "is not", null)
      .execute();
    expect(JSON.stringify(columns)).not.toContain("bobolink");
    const rows = await server.ctx.db.selectFrom("thread_follows").select(["user_id", "root_id"]).execute();
    expect(rows.map(({ root_id }) => root_id)).toEqual([root]);
  });
});
