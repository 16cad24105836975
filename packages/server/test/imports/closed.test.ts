import { expect, test } from "bun:test";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { newChannel } from "../support/new-channel.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const AT = Date.UTC(2019, 1, 1);

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;

  test("nothing shows a closed import to somebody whose account it uses", async () => {
    const ann = await server.newUser();
    const { id: userId } = await ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", ann.username)
      .executeTakeFirstOrThrow();
    const stage = memoryStage({
      users: [sourceUser("A"), sourceUser("Ben"), sourceUser("bot", { kind: "bot", name: "helper" })],
      channels: [
        sourceChannel("C1", { name: "hidden", memberIds: ["A", "Ben"], creatorId: "A" }),
        sourceChannel("D1", { kind: "direct", name: "", memberIds: ["A", "Ben"] }),
      ],
      messages: [
        sourceMessage("m1", { senderId: "A", at: AT, text: "hidden root", isPinned: true }),
        sourceMessage("m2", { senderId: "Ben", at: AT + 1, text: "hidden reply", threadId: "m1" }),
        sourceMessage("m3", {
          senderId: "Ben",
          at: AT + 2,
          text: "hidden file",
          reactions: [{ reaction: "👍", userIds: ["A"] }],
          files: [{ id: "F", name: "hidden.txt", mimeType: null, size: 1, alt: null, path: "F", url: null }],
        }),
        sourceMessage("m4", {
          senderId: "A",
          at: AT + 3,
          text: "mine",
          files: [{ id: "G", name: "hidden-too.txt", mimeType: null, size: 1, alt: null, path: "G", url: null }],
        }),
        sourceMessage("d1", { channelId: "D1", senderId: "Ben", at: AT + 4, text: "hidden talk" }),
      ],
    });
    const people = new Map([["A", { action: "use", userId } as const]]);
    const openFile = async () => new Blob(["bytes"]).stream();
    await writeImport(ctx, stage, { format: "slack", fingerprint: "f", people, openFile });
    const messages = await ctx.db.selectFrom("messages").select("id").where("channel_id", ">", 1).execute();
    const channels = await ctx.db.selectFrom("channels").select("id").where("slug", "<>", "general").execute();
    const files = await ctx.db.selectFrom("files").select("id").execute();
    expect([messages.length, channels.length, files.length]).toEqual([5, 2, 2]);

    for (const { id } of messages) {
      for (const path of ["thread", `reactions/${encodeURIComponent("👍")}`])
        expect([path, (await ann.get(`/api/messages/${id}/${path}`)).status]).toEqual([path, 404]);
      for (const sent of [
        await ann.post(`/api/messages/${id}/pin`),
        await ann.put(`/api/messages/${id}/reactions/${encodeURIComponent("👎")}`),
        await ann.send("PATCH", `/api/messages/${id}`, { body: { content: "changed" } }),
        await ann.delete(`/api/messages/${id}`),
      ])
        expect([404, 405]).toContain(sent.status);
    }
    using socket = await TestSocket.open(server.url, ann.credential);
    for (const { id } of channels) {
      for (const path of ["", "/pins", "/members", "/files", "/export"])
        expect([path, (await ann.get(`/api/channels/${id}${path}`)).status]).toEqual([path, 404]);
      expect((await ann.post(`/api/channels/${id}/join`)).status).toBe(404);
      expect((await ann.post("/api/messages", { channel_id: id, content: "hello" })).status).toBe(404);
      expect(await socket.command("channel:join", { channel_id: id })).toMatchObject({
        data: { code: "channel_not_found" },
      });
    }
    for (const { id } of files) expect((await ann.get(`/api/files/${id}`)).status).toBe(404);
    const lists = ["/api/channels", "/api/threads", "/api/notifications", "/api/saved", "/api/search/messages?q=reply"];
    for (const path of lists) expect((await ann.get(path)).body).not.toMatchObject({ success: false });
    for (const path of lists) expect(JSON.stringify((await ann.get(path)).body)).not.toMatch(/hidden|Ben/i);
    const copy = await ann.get(`/api/user/${ann.username}/export`);
    expect(copy.status).toBe(200);
    expect(JSON.stringify(copy.body)).not.toMatch(/hidden|mine|ben|👍/i);

    // The names are held, and lead to nobody.
    const { id: room } = await newChannel(ann);
    const said = await ann.post("/api/messages", { channel_id: room, content: "@Ben and @helper" });
    expect(said.body.chat_message?.mentions ?? said.body.message?.mentions ?? []).toEqual([]);
    expect((await ann.get("/api/users/ben")).status).toBe(404);
    expect((await ann.post("/api/direct", { username: "ben" })).status).toBe(404);
    const registration = { username: "ben", password: PASSWORD };
    expect((await server.guest.post("/api/auth/register", registration)).body.code).toBe("username_taken");
  });
});
