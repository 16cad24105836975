import { expect, test } from "bun:test";
import { membership } from "../../src/channels/channel-cache.ts";
import { eachDatabase } from "../support/databases.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const CHANNELS = 5;

eachDatabase((_, open) => {
  test("a server forgets the feeds of deleted channels, and a restored channel has one again", async () => {
    await using server = await startTestServer({ rateLimits: "off" }, { database: await open() });
    const { hub } = server.ctx;
    const ann = await server.user("ann");
    const administrator = await staff(server, "ruth", 2);
    using socket = await TestSocket.open(server.url);
    const before = hub.topics;
    let id = 0;
    for (let n = 0; n < CHANNELS; n += 1) {
      const slug = `channel-${n}`;
      id = (await ann.post("/api/channels", { name: slug, channel_slug: slug })).body.channel_id;
      await socket.command("channel:join", { channel_id: id });
      await ann.post("/api/messages", { channel_id: id, content: "hello" });
      expect(hub.topics).toBeGreaterThan(before);
      expect((await ann.delete(`/api/channels/${id}`)).status).toBe(200);
    }
    await eventually("the server listens to no deleted channel", () => hub.topics === before);
    expect((await administrator.post(`/api/admin/channels/${id}/restore`)).status).toBe(200);
    const joined = await socket.command("channel:join", { channel_id: id });
    await ann.post("/api/messages", { channel_id: id, content: "hello again" });
    const isAgain = ({ event, data }: { event: string; data: { chat_message?: { content: string } } }) =>
      event === "message:new" && data.chat_message?.content === "hello again";
    expect((await socket.next(isAgain)).data.seq).toBe(joined.data.last_seq + 1);
  });

  test("a server forgets the memberships of a deleted channel, but not those of others", async () => {
    await using server = await startTestServer({}, { database: await open() });
    const { ctx } = server;
    const ann = await server.user("ann");
    const { id: userId } = await ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", "ann")
      .executeTakeFirstOrThrow();
    const ids: number[] = [];
    for (const slug of ["stays", "goes"]) {
      const id = (await ann.post("/api/channels", { name: slug, channel_slug: slug })).body.channel_id;
      expect((await ann.post("/api/messages", { channel_id: id, content: "hello" })).status).toBe(201);
      ids.push(id);
    }
    const [stays = 0, goes = 0] = ids;
    expect(membership(ctx, goes, userId)).toMatchObject({ role: "owner" });
    expect((await ann.delete(`/api/channels/${goes}`)).status).toBe(200);
    // A promise is a read from the database.
    expect(membership(ctx, goes, userId)).toBeInstanceOf(Promise);
    expect(membership(ctx, stays, userId)).toMatchObject({ role: "owner" });
  });
});
