import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Files of messages, over the socket and as agents read them, on every database (protocol §13.2). */
eachDatabase((_, open) => {
  let server: TestServer;
  let ann: Client;
  let bob: Client;
  let agent: Client;
  beforeAll(async () => {
    server = await startTestServer({}, { database: await open() });
    [ann, bob, agent] = [await server.user("ann"), await server.user("bob"), await server.agent("helper")];
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

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
});
