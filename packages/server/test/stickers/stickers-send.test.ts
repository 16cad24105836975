import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif } from "../support/gifs.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { newChannel } from "../support/servers/realtime.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { newSticker, uploaded } from "../support/stickers.ts";

/** Stickers in messages, on every database. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];

  let marks = 0;
  const sticker = (client = ann) => newSticker(client, stillGif(2, 3, `send ${++marks}`));
  const post = (body: object, client = ann) => client.post("/api/messages", { channel_slug: "general", ...body });

  describe("POST /api/messages", () => {
    test("accepts anybody's sticker without text, with text and in a reply", async () => {
      const made = await sticker();
      const alone = await post({ sticker_id: made.sticker_id });
      expect(alone.status).toBe(201);
      expect(alone.body.chat_message).toMatchObject({ type: "sticker", content: "", sticker: made });
      const body = { sticker_id: made.sticker_id, content: "look, @ann", reply_to_id: alone.body.message_id };
      const both = await post(body, bob);
      expect(both.body.chat_message).toMatchObject({
        type: "sticker",
        content: "look, @ann",
        sticker: made,
        reply_to_id: alone.body.message_id,
        mentions: [{ type: "user", name: "ann", offset: 6, length: 4 }],
      });
      const page = await server.guest.get(`/api/messages?channel_id=general&after=${alone.body.message_id}`);
      expect(page.body.messages).toEqual([both.body.chat_message]);
    });

    test("lets an edit remove the text beside a sticker, but not the text of a plain message", async () => {
      const made = await sticker();
      const { message_id } = (await post({ sticker_id: made.sticker_id, content: "look, @bob" })).body;
      const edited = await ann.put(`/api/messages/${message_id}`, { content: "" });
      expect(edited.body.chat_message).toMatchObject({ type: "sticker", content: "", sticker: made, mentions: [] });
      await using socket = await LiveSocket.open(server.url, ann.credential);
      expect((await socket.ask("message:edit", { message_id, content: "again" })).event).toBe("ack");
      expect((await socket.ask("message:edit", { message_id, content: "" })).event).toBe("ack");
      expectError(await ann.put(`/api/messages/${message_id}`, {}), 400, "content_required");
      const plain = (await post({ content: "text" })).body.message_id;
      for (const content of ["", " \n"])
        expectError(await ann.put(`/api/messages/${plain}`, { content }), 400, "content_required");
    });

    test("refuses a message without sticker and text, and an unknown sticker", async () => {
      const { sticker_id } = await sticker();
      for (const body of [{}, { content: "" }, { content: " \n" }, { sticker_id: null }, { content: 5, sticker_id }])
        expectError(await post(body), 400, "content_required");
      expectError(await post({ sticker_id, content: "x".repeat(4_001) }), 400, "message_too_long");
      for (const wrong of [0, -1, 1.5, "1", {}]) expectError(await post({ sticker_id: wrong }), 400, "invalid_request");
      expectError(await post({ sticker_id: 99_999 }), 404, "sticker_not_found");
      await ann.delete(`/api/stickers/${sticker_id}`);
      expectError(await post({ sticker_id }), 404, "sticker_not_found");
    });

    test("sends once per key, and treats another sticker under the key as another message", async () => {
      const [one, two] = [await sticker(), await sticker()];
      const keyed = { client_msg_id: `key ${marks}`, sticker_id: one.sticker_id };
      const first = await post(keyed);
      expect((await post(keyed)).body).toEqual({ ...first.body, deduplicated: true });
      expectError(await post({ ...keyed, sticker_id: two.sticker_id }), 409, "idempotency_conflict");
      expectError(await post({ client_msg_id: keyed.client_msg_id, content: "x" }), 409, "idempotency_conflict");
      await ann.delete(`/api/stickers/${one.sticker_id}`);
      expect((await post(keyed)).body).toEqual({ ...first.body, deduplicated: true });
      expectError(await post({ ...keyed, client_msg_id: `new ${marks}` }), 404, "sticker_not_found");
    });

    test("keeps stickers, replies, keyed and plain texts of one batch apart", async () => {
      const { id } = await newChannel(ann);
      const made = await sticker();
      const bodies = Array.from({ length: 60 }, (_, n) => ({
        channel_id: id,
        ...(n % 3 === 0 ? { sticker_id: made.sticker_id } : { content: `${n}` }),
        ...(n % 4 === 0 ? { client_msg_id: `batch ${marks} ${n}` } : {}),
      }));
      const answers = await Promise.all(bodies.map((body) => ann.post("/api/messages", body)));
      answers.forEach(({ status, body }, n) => {
        expect(status).toBe(201);
        expect(body.chat_message).toMatchObject(
          n % 3 === 0 ? { type: "sticker", sticker: made } : { type: "text", sticker: null, content: `${n}` },
        );
      });
      const page = await ann.get(`/api/messages?channel_id=${id}&limit=200`);
      const told = answers.map(({ body }) => body.chat_message).toSorted((a, b) => a.seq - b.seq);
      expect(page.body.messages).toEqual(told);
      const stored = await ann.get(`/api/messages?channel_id=${id}&limit=200&after_seq=0`);
      expect(stored.body.messages).toEqual(told);
    });
  });

  test("a message outlives its sticker, and a deleted message shows none", async () => {
    const made = await sticker();
    const { body } = await post({ sticker_id: made.sticker_id });
    await ann.delete(`/api/stickers/${made.sticker_id}`);
    const path = `/api/messages?channel_id=general&limit=1&around=${body.message_id}`;
    expect((await server.guest.get(path)).body.messages).toEqual([body.chat_message]);
    expect((await uploaded(server.url, made.url)).status).toBe(200);
    await ann.put(`/api/messages/${body.message_id}`, { content: "with a word" });
    expect((await server.guest.get(path)).body.messages[0]).toMatchObject({
      type: "sticker",
      sticker: made,
      content: "with a word",
    });
    await ann.delete(`/api/messages/${body.message_id}`);
    expect((await server.guest.get(path)).body.messages[0]).toMatchObject({
      is_deleted: true,
      content: "",
      sticker: null,
    });
    const row = await server.ctx.db
      .selectFrom("messages")
      .selectAll()
      .where("id", "=", body.message_id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ sticker: null, sticker_id: null });
  });

  test("message:send works like the HTTP route, and everyone receives the sticker", async () => {
    const made = await sticker();
    using socket = await TestSocket.open(server.url, ann.credential);
    using other = await TestSocket.open(server.url, bob.credential);
    await other.command("channel:join", { channel_slug: "general" });
    const { event, data } = await socket.command("message:send", {
      channel_slug: "general",
      sticker_id: made.sticker_id,
    });
    expect([event, data.chat_message.type, data.chat_message.sticker]).toEqual(["ack", "sticker", made]);
    const heard = await other.next((frame) => frame.event === "message:new" && frame.data.seq === data.seq);
    expect(heard.data.chat_message).toEqual(data.chat_message);
    for (const [body, code] of [
      [{ sticker_id: 99_999 }, "sticker_not_found"],
      [{ sticker_id: "x" }, "invalid_request"],
      [{}, "content_required"],
    ] as const) {
      const refused = await socket.command("message:send", { channel_slug: "general", ...body });
      expect([refused.event, refused.data.code]).toEqual(["error", code]);
    }
  });

  test("an agent sends stickers and reads their names", async () => {
    const made = await sticker();
    const agent = await server.agent(`Scout ${marks}`);
    const say = (body: object) => agent.post("/api/agenthub/send", { channel_slug: "general", ...body });
    const { status, body } = await say({ sticker_id: made.sticker_id });
    expect(status).toBe(201);
    expect(body.chat_message).toMatchObject({ type: "sticker", sender_type: "agent", content: "", sticker: made });
    expectError(await say({}), 400, "message_required");
    expectError(await say({ message: " " }), 400, "message_required");
    expectError(await say({ sticker_id: 99_999 }), 404, "sticker_not_found");
    const read = await agent.get("/api/agenthub/messages?channel_slug=general&limit=1&format=context");
    expect(read.body.rendered).toContain('\n(sticker "a")\n');
  });
});
