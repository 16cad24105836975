import { expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { png } from "../support/pngs.ts";
import { sayId } from "../support/say.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** Protocol §15 over real HTTP: messages that a bot sends and receives. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const bot = await testBot(server, "Data Bot");
const general = (await ann.get("/api/channels/1")).body.channel;
const chat_id = -(1_000_000_000_000 + general.id);

/** Confirms everything that waits. */
const drain = async () => {
  const waiting = await bot.ask("getUpdates");
  const last = waiting.at(-1)?.update_id;
  if (last !== undefined) await bot.ask("getUpdates", { offset: last + 1 });
};

test("a bot knows itself", async () => {
  expect(await bot.ask("getMe")).toMatchObject({
    id: bot.userId,
    is_bot: true,
    first_name: "Data Bot",
    username: "Data_Bot",
    can_read_all_group_messages: false,
  });
  expect(bot.userId).toBeGreaterThan(7_000_000_000);
});

test("a mention is an update until an offset confirms it", async () => {
  await drain();
  const said = await sayId(ann, "general", "@Data_Bot **look** at `this`");
  const [update] = await bot.ask("getUpdates", { timeout: 20 });
  expect(update.message).toMatchObject({
    message_id: said,
    from: { is_bot: false, first_name: "ann", username: "ann" },
    chat: { id: chat_id, type: "supergroup", title: general.name, username: "general", is_forum: true },
    text: "@Data_Bot look at this",
    entities: [
      { type: "mention", offset: 0, length: 9 },
      { type: "bold", offset: 10, length: 4 },
      { type: "code", offset: 18, length: 4 },
    ],
  });
  expect(update.message.from.id).toBeGreaterThan(5_000_000_000);
  expect(await bot.ask("getUpdates")).toEqual([update]);
  expect(await bot.ask("getUpdates", { offset: update.update_id })).toEqual([update]);
  expect(await bot.ask("getUpdates", { offset: update.update_id + 1 })).toEqual([]);
  expect(await bot.ask("getUpdates")).toEqual([]);
});

test("a bot sends, answers, edits and deletes", async () => {
  const sent = await bot.ask("sendMessage", { chat_id, text: "1. *not* bold_\n# no heading" });
  expect(sent).toMatchObject({ text: "1. *not* bold_\n# no heading", from: { id: bot.userId }, chat: { id: chat_id } });
  const reply = await bot.ask("sendMessage", {
    chat_id: "@general",
    text: "*yes* _no_",
    parse_mode: "MarkdownV2",
    reply_parameters: { message_id: sent.message_id },
  });
  expect(reply.reply_to_message.message_id).toBe(sent.message_id);
  expect(reply.entities.map(({ type }: { type: string }) => type)).toEqual(["bold", "italic"]);
  const read = async () => {
    const { messages } = (await ann.get(`/api/messages?channel_slug=general&ids=${reply.message_id}`)).body;
    return messages[0];
  };
  expect(await read()).toMatchObject({ content: "**yes** _no_", reply_to_id: sent.message_id, agent_name: "Data Bot" });
  const edit = { chat_id, message_id: reply.message_id, text: "<b>a</b> &lt;", parse_mode: "HTML" };
  expect(await bot.ask("editMessageText", edit)).toMatchObject({ text: "a <", edit_date: expect.any(Number) });
  expect((await bot.call("editMessageText", edit)).body.description).toStartWith(
    "Bad Request: message is not modified: ",
  );
  expect(await bot.ask("deleteMessage", { chat_id, message_id: reply.message_id })).toBe(true);
  expect((await read()).is_deleted).toBe(true);
  expect((await bot.call("deleteMessage", { chat_id, message_id: reply.message_id })).body).toEqual({
    ok: false,
    error_code: 400,
    description: "Bad Request: message to delete not found",
  });
});

test("a message in a thread is answered in the thread", async () => {
  await drain();
  const root = await sayId(ann, "general", "A subject");
  const sent = await ann.post("/api/messages", {
    channel_slug: "general",
    content: "@Data_Bot here",
    thread_root_id: root,
  });
  const [update] = await bot.ask("getUpdates", { timeout: 20 });
  expect(update.message).toMatchObject({ message_thread_id: root, is_topic_message: true });
  const answer = await bot.ask("sendMessage", { chat_id, text: "ok", reply_to_message_id: sent.body.message_id });
  expect(answer.message_thread_id).toBe(root);
  const other = await bot.ask("sendMessage", { chat_id, text: "ok", message_thread_id: root });
  expect(other.message_thread_id).toBe(root);
});

test("a person's id is the conversation with them", async () => {
  await drain();
  await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", bot.agentId).execute();
  const bea = await server.user("bea");
  const opened = await bea.post("/api/direct", { agent_name: "Data Bot" });
  await bea.post("/api/messages", { channel_id: opened.body.channel.id, content: "hello" });
  const [{ message }] = await bot.ask("getUpdates", { timeout: 20 });
  expect(message.chat).toEqual({ id: message.from.id, type: "private", first_name: "bea", username: "bea" });
  const sent = await bot.ask("sendMessage", { chat_id: message.from.id, text: "hi bea" });
  expect(sent.chat.id).toBe(message.from.id);
  const stranger = await bot.call("sendMessage", { chat_id: 5_000_000_001, text: "hi" });
  expect(stranger.body.description).toBe("Bad Request: chat not found");
});

test("photos are sent and received", async () => {
  await drain();
  const form = new FormData();
  form.set("chat_id", String(chat_id));
  form.set("caption", "A dot");
  form.set("photo", new Blob([png(3, 2)]), "dot.png");
  const client = new Client(server.url);
  const { body } = await client.send("POST", `/telegram/bot${bot.token}/sendPhoto`, { raw: form });
  expect(body.result).toMatchObject({
    caption: "A dot",
    photo: [{ file_id: expect.stringMatching(/^p/) }, { width: 3, height: 2 }],
  });
  const upload = new FormData();
  upload.set("file", new Blob([png(4, 4)]), "b.png");
  const { file } = (await ann.send("POST", "/api/files", { raw: upload })).body;
  await ann.post("/api/messages", { channel_slug: "general", content: "@Data_Bot see", file_ids: [file.file_id] });
  const [update] = await bot.ask("getUpdates", { timeout: 20 });
  expect(update.message.caption).toBe("@Data_Bot see");
  const { file_id } = update.message.photo.at(-1);
  const found = await bot.ask("getFile", { file_id });
  const bytes = await fetch(`${server.url}/telegram/file/bot${bot.token}/${found.file_path}`);
  expect(bytes.status).toBe(200);
  expect(Number(bytes.headers.get("content-length"))).toBe(found.file_size);
  expect(bytes.headers.get("referrer-policy")).toBe("no-referrer");
  const again = await bot.ask("sendDocument", { chat_id, document: file_id });
  expect(again.document.file_name).toBe("b.png");
});
