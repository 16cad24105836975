import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Files of messages, over the socket and as agents read them, on every database (protocol §13.2). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob, agent] = [await server.user("ann"), await server.user("bob"), await server.agent("helper")];

  async function uploaded(text: string, name = "a.txt") {
    const form = new FormData();
    form.set("file", new Blob([text]), name);
    const answer = await ann.post("/api/files", undefined, { raw: form });
    expect(answer.status).toBe(201);
    return answer.body.file;
  }

  test("an agent sees the files of what waits for it, in its inbox and its mentions", async () => {
    const { file_id, url } = await uploaded("1,2", "t.csv");
    const { id } = (
      await ann.post("/api/messages", { channel_slug: "general", file_ids: [file_id], content: "@helper sum this" })
    ).body.chat_message;
    const line = `(file "t.csv" text/plain 3 bytes at ${url})\n@helper sum this\n`;
    const inbox = (await agent.get("/api/agenthub/inbox?format=context&limit=100")).body;
    const item = inbox.items.find((one: { chat_message: { id: number } | null }) => one.chat_message?.id === id);
    expect(item).toMatchObject({ kind: "mention", chat_message: { files: [{ file_id }] } });
    expect([item.rendered, inbox.rendered]).toEqual([expect.stringContaining(line), expect.stringContaining(line)]);
    const { mentions, rendered } = (await agent.get("/api/agenthub/mentions?format=context")).body;
    expect(mentions).toMatchObject([{ message_id: id, files: [{ file_id, url }] }]);
    expect([mentions[0].rendered, rendered]).toEqual([expect.stringContaining(line), expect.stringContaining(line)]);
  });

  test("files are sent over the socket, where everybody hears of them", async () => {
    const [one, other] = [await uploaded("socket"), await uploaded("socket, too")];
    using socket = await TestSocket.open(server.url, ann.credential);
    using listener = await TestSocket.open(server.url, bob.credential);
    await listener.command("channel:join", { channel_slug: "general" });
    const send = (file_ids: unknown) => socket.command("message:send", { channel_slug: "general", file_ids });
    const { event, data } = await send([other.file_id, one.file_id]);
    expect([event, data.chat_message.files.map((file: { file_id: number }) => file.file_id)]).toEqual([
      "ack",
      [other.file_id, one.file_id],
    ]);
    const heard = await listener.next((frame) => frame.event === "message:new" && frame.data.seq === data.seq);
    expect(heard.data.chat_message).toEqual(data.chat_message);
    expect(await (await fetch(server.url + one.url, { headers: bob.credential })).text()).toBe("socket");
    for (const [ids, code] of [
      [[one.file_id], "file_already_sent"],
      [[999_999], "file_not_found"],
      [Array.from({ length: 11 }, (_, n) => n + 1), "invalid_request"],
    ] as const) {
      const refused = await send(ids);
      expect([refused.event, refused.data.code]).toEqual(["error", code]);
    }
  });

  test("the description of a file can be changed, also in its message, where everybody hears of it and search finds it", async () => {
    const { file_id } = await uploaded("chart", "Umsatz_2026.txt");
    const path = `/api/files/${file_id}`;
    expect((await ann.put(path, { alt_text: " first words " })).body.file.alt_text).toBe("first words");
    expectError(await bob.put(path, { alt_text: "x" }), 404, "file_not_found");
    const { chat_message } = (await ann.post("/api/messages", { channel_slug: "general", file_ids: [file_id] })).body;
    expect(chat_message.files[0].alt_text).toBe("first words");
    using listener = await TestSocket.open(server.url, bob.credential);
    await listener.command("channel:join", { channel_slug: "general" });
    const changed = await ann.put(path, { alt_text: "zebras in quartz" });
    expect(changed.body.file.alt_text).toBe("zebras in quartz");
    const { data } = await listener.next((frame) => frame.event === "message:update");
    expect(data.chat_message).toMatchObject({ id: chat_message.id, content: "", edited_at: expect.any(String) });
    expect(data.chat_message.files[0]).toMatchObject({ file_id, alt_text: "zebras in quartz" });
    await searchConsumer(server.ctx).flush();
    const found = async (q: string) => {
      const { messages } = (await bob.get(`/api/search/messages?q=${q}`)).body;
      return messages.map(({ id, highlights }: { id: number; highlights: unknown[] }) => [id, highlights]);
    };
    const hit = [[chat_message.id, []]];
    expect([await found("umsatz"), await found("zebras"), await found("first")]).toEqual([hit, hit, []]);
    expectError(await bob.put(path, { alt_text: "x" }), 403, "forbidden");
    expectError(await ann.put(path, { alt_text: "x".repeat(501) }), 400, "invalid_request");
    expect((await ann.put(path, { alt_text: null })).body.file.alt_text).toBeNull();
    expect(
      (await ann.get(`/api/messages?channel_slug=general&ids=${chat_message.id}`)).body.messages[0].files[0],
    ).toMatchObject({ alt_text: null });
    await ann.delete(`/api/messages/${chat_message.id}`);
    expectError(await ann.put(path, { alt_text: "x" }), 404, "file_not_found");
  });

  test("a film loses the place where it was taken", async () => {
    const box = (type: string, content: Buffer) => {
      const head = Buffer.alloc(8);
      head.writeUInt32BE(content.length + 8);
      return Buffer.concat([head.fill(type, 4, "latin1"), content]);
    };
    const place = Buffer.from("+48.8577+002.295/");
    const film = Buffer.concat([
      box("ftyp", Buffer.from("isom\0\0\0\0mp42")),
      box("moov", box("udta", box("\xa9xyz", place))),
      box("mdat", Buffer.from("frames")),
    ]);
    const form = new FormData();
    form.set("file", new Blob([film]), "ride.mp4");
    const { file } = (await ann.post("/api/files", undefined, { raw: form })).body;
    expect(file).toMatchObject({ mime_type: "video/mp4", size_bytes: film.length });
    const bytes = Buffer.from(await (await fetch(server.url + file.url, { headers: ann.credential })).arrayBuffer());
    expect([bytes.includes(place), bytes.includes("frames"), bytes.length]).toEqual([false, true, film.length]);
    expect(file.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});
