import { expect, test } from "bun:test";
import { DELETED_USER } from "@parley/protocol/privacy";
import { Bot, InlineKeyboard } from "grammy";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { endSurplusMenus } from "../../src/messages/menus/ends.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { asBot, type TestBot, testBot } from "../support/telegram.ts";

const CHAT = -1_000_000_000_001;
const LATE = "Bad Request: query is too old and response timeout expired or query ID is invalid";
const keys = (...data: string[]) => ({
  inline_keyboard: [data.map((each) => ({ text: `Do ${each}`, callback_data: each }))],
});

/** Menus of bots: buttons below a message, presses and their answers (protocol §15.6). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const config = { rateLimits: "off" as const, agentLoopLimit: 0 };
  const server = await forAllTests(startTestServer(config, { database: await open(), clock }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const press = (who: Client, id: number, action_id: string, value?: string) =>
    who.post(`/api/interactions/${id}/press`, { action_id, ...(value === undefined ? {} : { value }) });
  const record = async (id: number) => (await ann.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0];
  const updates = async (bot: TestBot) => {
    const found = await bot.ask("getUpdates");
    const last = found.at(-1);
    if (last !== undefined) await bot.ask("getUpdates", { offset: last.update_id + 1, limit: 1 });
    return found;
  };

  test("an unmodified grammY bot shows a keyboard, gets a press, answers it and edits the message", async () => {
    const { token, apiRoot } = await testBot(server, "Menus");
    const bot = new Bot(token, { client: { apiRoot } });
    bot.callbackQuery(/^page:(\d+)$/, async (query) => {
      await query.answerCallbackQuery({ text: `Page ${query.match[1]}`, show_alert: true });
      await query.editMessageText(`You are on page ${query.match[1]}`, {
        reply_markup: new InlineKeyboard().text("Back", "page:1"),
      });
    });
    const running = bot.start();
    const reply_markup = new InlineKeyboard()
      .text("One", "page:1")
      .text("Two", "page:2")
      .row()
      .url("Docs", "parley.chat");
    const sent = await bot.api.sendMessage(CHAT, "Choose", { reply_markup });
    expect(sent.reply_markup?.inline_keyboard).toEqual([
      [
        { text: "One", callback_data: "page:1" },
        { text: "Two", callback_data: "page:2" },
      ],
      [{ text: "Docs", url: "http://parley.chat/" }],
    ]);
    const shown = await record(sent.message_id);
    expect(shown.components[1].elements).toEqual([{ type: "link", label: "Docs", url: "http://parley.chat/" }]);
    expect(shown.interaction).toEqual({
      interaction_id: sent.message_id,
      message_id: sent.message_id,
      kind: "menu",
      who: { roles: ["member"] },
      quorum: 1,
      status: "open",
      expires_at: null,
      votes: [],
      vote_count: 0,
      result: null,
      decided_at: null,
      payload_hash: null,
    });

    using socket = await TestSocket.open(server.url, bob.credential);
    using other = await TestSocket.open(server.url, ann.credential);
    const pressed = await press(bob, sent.message_id, "b1", "page:2");
    expect(pressed.status).toBe(200);
    expect(pressed.body.interaction.result).toMatchObject({ action_id: "b1", value: "page:2", username: "bob" });
    const { data } = await socket.next(({ event }) => event === "interaction:answer");
    expect(data).toEqual({ channel_id: 1, interaction_id: sent.message_id, text: "Page 2", alert: true });
    await eventually("the message is edited", async () => (await record(sent.message_id)).content.includes("page 2"));
    expect((await record(sent.message_id)).components[0].elements).toHaveLength(1);
    expect(other.frames.some(({ event }) => event === "interaction:answer")).toBe(false);
    await bot.stop();
    await running;
  });

  test("a press is an update until it is confirmed, and is answered once and in time", async () => {
    const bot = await testBot(server, "Once");
    const { message_id } = await bot.ask("sendMessage", { chat_id: CHAT, text: "Ready?", reply_markup: keys("go") });
    expect((await press(ann, message_id, "b0")).status).toBe(200);
    expect((await press(ann, message_id, "b0")).status).toBe(200);
    const [first, second] = await bot.ask("getUpdates");
    expect(first.callback_query).toMatchObject({
      id: String(first.update_id),
      from: { is_bot: false, username: "ann" },
      message: { message_id, text: "Ready?", reply_markup: keys("go") },
      chat_instance: String(CHAT),
      data: "go",
    });
    expect((await updates(bot)).length).toBe(2);
    expect(await bot.ask("getUpdates")).toEqual([]);
    const answer = (id: string, more = {}) => bot.call("answerCallbackQuery", { callback_query_id: id, ...more });
    const { id } = first.callback_query;
    expect((await answer(id, { text: "x".repeat(201) })).body.description).toBe("Bad Request: MESSAGE_TOO_LONG");
    expect((await answer(id, { text: "Done" })).body).toEqual({ ok: true, result: true });
    expect((await answer(id)).body.description).toBe(LATE);
    const stranger = await testBot(server, "Stranger");
    const by = await stranger.call("answerCallbackQuery", { callback_query_id: second.callback_query.id });
    expect(by.body.description).toBe(LATE);
    clock.ahead += 10 * 60_000 + 1;
    expect((await answer(second.callback_query.id)).body.description).toBe(LATE);
    expect((await answer("junk")).body.description).toBe(LATE);
  });

  test("an edit changes the buttons, keeps them out of reach, and brings them back", async () => {
    const bot = await testBot(server, "Editor");
    const at = { chat_id: CHAT };
    const { message_id } = await bot.ask("sendMessage", { ...at, text: "Choose", reply_markup: keys("a", "b") });
    const same = { ...at, message_id, text: "Choose", reply_markup: keys("a", "b") };
    expect((await bot.call("editMessageText", same)).body.description).toStartWith(
      "Bad Request: message is not modified",
    );
    const marked = { ...at, message_id, reply_markup: keys("c") };
    const edited = await bot.ask("editMessageReplyMarkup", marked);
    expect(edited).toMatchObject({ text: "Choose", reply_markup: keys("c") });
    expect(edited.edit_date).toBeUndefined();
    expect((await bot.call("editMessageReplyMarkup", marked)).status).toBe(400);
    const stale = await press(ann, message_id, "b0", "a");
    expect([stale.status, stale.body.code]).toEqual([400, "unknown_action"]);
    expect((await press(ann, message_id, "b1")).body.code).toBe("unknown_action");

    const without = await bot.ask("editMessageText", { ...at, message_id, text: "Thank you" });
    expect(without.reply_markup).toBeUndefined();
    const plain = await record(message_id);
    expect([plain.components, plain.interaction]).toEqual([undefined, undefined]);
    const gone = await press(ann, message_id, "b0", "c");
    expect([gone.status, gone.body.code]).toEqual([409, "interaction_closed"]);
    expect(gone.body.details.interaction).toMatchObject({ kind: "menu", status: "cancelled" });
    await bot.ask("editMessageReplyMarkup", marked);
    expect((await press(ann, message_id, "b0", "c")).status).toBe(200);
    expect((await ann.get(`/api/interactions/${message_id}`)).body).toMatchObject({
      interaction: { kind: "menu", status: "open" },
      receipt: null,
    });
    await bot.ask("deleteMessage", { ...at, message_id });
    expect((await press(ann, message_id, "b0", "c")).body.code).toBe("interaction_not_found");
    const [update] = (await updates(bot)).slice(-1);
    expect(update.callback_query.message).toMatchObject({ message_id, date: 0, chat: { id: CHAT } });
  });

  test("wrong keyboards are refused in the words of the Bot API, and nothing is sent", async () => {
    const bot = await testBot(server, "Wrong");
    const send = async (reply_markup: unknown) =>
      (await bot.call("sendMessage", { chat_id: CHAT, text: "x", reply_markup })).body.description;
    const one = (button: object) => ({ inline_keyboard: [[{ text: "x", ...button }]] });
    const before = (await ann.get("/api/channels/1")).body.channel.last_seq;
    expect(await send(one({ callback_data: "x".repeat(65) }))).toBe("Bad Request: BUTTON_DATA_INVALID");
    expect(await send(one({ callback_data: "é".repeat(33) }))).toBe("Bad Request: BUTTON_DATA_INVALID");
    expect(await send(one({ callback_data: "" }))).toBe("Bad Request: BUTTON_DATA_INVALID");
    expect(await send(one({ web_app: { url: "https://a.b" } }))).toBe("Bad Request: BUTTON_TYPE_INVALID");
    expect(await send(one({ url: "javascript:alert(1)" }))).toBe("Bad Request: BUTTON_URL_INVALID");
    expect(await send(one({ url: "https://bank.example@evil.example/" }))).toBe("Bad Request: BUTTON_URL_INVALID");
    expect(await send({ inline_keyboard: [Array(9).fill({ text: "x", callback_data: "x" })] })).toBe(
      "Bad Request: REPLY_MARKUP_TOO_LONG",
    );
    expect(await send({ inline_keyboard: Array(101).fill([{ text: "x", callback_data: "x" }]) })).toBe(
      "Bad Request: REPLY_MARKUP_TOO_LONG",
    );
    expect(await send("{")).toBe("Bad Request: can't parse reply_markup JSON object");
    expect(await send([1])).toBe("Bad Request: object expected as reply markup");
    expect((await ann.get("/api/channels/1")).body.channel.last_seq).toBe(before);
    // Marks that turn the reading direction, and lines, are no part of a button.
    const { reply_markup } = await bot.ask("sendMessage", {
      chat_id: CHAT,
      text: "x",
      reply_markup: JSON.stringify({ inline_keyboard: [[{ text: "a\u202eb\nc", callback_data: "x" }]] }),
    });
    expect(reply_markup.inline_keyboard[0][0].text).toBe("a b c");
  });

  test("who is muted, outside, or an agent cannot press, and gives the bot nothing", async () => {
    const bot = await testBot(server, "Strict");
    const agent = new Client(server.url, { authorization: `Bearer ${bot.apiKey}` });
    const room = await newChannel(ann, { is_private: true, password: "open sesame" });
    await agent.post(`/api/channels/${room.id}/join`, { password: "open sesame" });
    const chat_id = -1_000_000_000_000 - room.id;
    const { message_id } = await bot.ask("sendMessage", { chat_id, text: "Choose", reply_markup: keys("a") });
    expect((await press(bob, message_id, "b0")).body.code).toBe("password_required");
    expect((await press(agent, message_id, "b0")).status).toBe(401);
    await bob.post(`/api/channels/${room.id}/join`, { password: "open sesame" });
    const members = server.ctx.db.updateTable("channel_members").where("channel_id", "=", room.id);
    // Another node mutes and removes Bob, and this one has not heard of it yet.
    await members
      .set({ muted_until: clock.now() + 60_000 })
      .where("role", "=", "member")
      .execute();
    expect((await press(bob, message_id, "b0")).body.code).toBe("muted");
    await server.ctx.db
      .deleteFrom("channel_members")
      .where("channel_id", "=", room.id)
      .where("role", "=", "member")
      .execute();
    expect((await press(bob, message_id, "b0")).body.code).toBe("not_allowed_to_answer");
    expect(await updates(bot)).toEqual([]);
    expect((await press(ann, message_id, "b0")).status).toBe(200);
    expect(await updates(bot)).toHaveLength(1);
  });

  test("a key without the scope cards shows no keyboard and answers no press", async () => {
    const grant = { scopes: ["send" as const, "read" as const, "inbox" as const] };
    const { api_key, agent_id } = await issueKey(server.ctx, { agentName: "Plain", ownerUsername: "ann", grant });
    const plain = await asBot(server, { agentId: agent_id, apiKey: api_key });
    const at = { chat_id: CHAT, text: "Choose" };
    const sent = await plain.ask("sendMessage", at);
    const edited = { ...at, message_id: sent.message_id, reply_markup: keys("a") };
    for (const [name, fields] of [
      ["sendMessage", { ...at, reply_markup: keys("a") }],
      ["sendMessage", { ...at, reply_markup: { keyboard: [["a"]] } }],
      ["editMessageText", edited],
      ["editMessageReplyMarkup", edited],
      ["answerCallbackQuery", { callback_query_id: "1" }],
    ] as const) {
      const { status, body } = await plain.call(name, fields);
      expect([name, status, body.description]).toEqual([name, 403, expect.stringContaining("scope that it lacks")]);
    }
  });

  test("a press of an erased account stays in the queue without its name, and can be answered to nobody", async () => {
    const bot = await testBot(server, "Kept");
    const { message_id } = await bot.ask("sendMessage", { chat_id: CHAT, text: "Choose", reply_markup: keys("a") });
    const gone = await server.user("gone-soon");
    expect((await press(gone, message_id, "b0")).status).toBe(200);
    expect((await gone.delete("/api/user/gone-soon", { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    const [{ callback_query }] = await bot.ask("getUpdates");
    expect(callback_query).toMatchObject({ data: "a", from: { id: 777_000, is_bot: false, first_name: DELETED_USER } });
    expect(await bot.ask("answerCallbackQuery", { callback_query_id: callback_query.id, text: "Hi" })).toBe(true);
  });

  test("the oldest menus of a bot end, and say so", async () => {
    const bot = await testBot(server, "Many");
    const send = async () =>
      (await bot.ask("sendMessage", { chat_id: CHAT, text: "Choose", reply_markup: keys("a") })).message_id;
    const [old, newer] = [await send(), await send()];
    await endSurplusMenus(server.ctx, bot.agentId, "Many", 1);
    expect((await record(old)).interaction).toMatchObject({ status: "cancelled" });
    expect((await record(newer)).interaction).toMatchObject({ status: "open" });
    expect((await press(ann, old, "b0")).body.code).toBe("interaction_closed");
    expect((await press(ann, newer, "b0")).status).toBe(200);
  });

  test("a person presses in a direct conversation, below a file, and another message of the bot", async () => {
    const bot = await testBot(server, "Private");
    await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", bot.agentId).execute();
    const { channel } = (await ann.post("/api/direct", { agent_name: "Private" })).body;
    await ann.post("/api/messages", { channel_id: channel.id, content: "/start" });
    const [start] = await updates(bot);
    const chat_id = start.message.chat.id;
    const { message_id } = await bot.ask("sendMessage", { chat_id, text: "Hello", reply_markup: keys("a") });
    expect((await press(ann, message_id, "b0")).status).toBe(200);
    const [{ callback_query }] = await updates(bot);
    expect(callback_query.message.chat).toMatchObject({ id: chat_id, type: "private" });
    expect(callback_query.chat_instance).toBe(String(chat_id));
  });

  test("a keyboard for the composer is part of the record, without what asks for more than a text", async () => {
    const bot = await testBot(server, "Keys");
    const send = async (reply_markup: object) =>
      record((await bot.ask("sendMessage", { chat_id: CHAT, text: "Choose", reply_markup })).message_id);
    const shown = await send({
      keyboard: [["Yes", { text: "No" }], [{ text: "Where?", request_location: true }]],
      one_time_keyboard: true,
      input_field_placeholder: "Yes or no",
    });
    expect(shown.keyboard).toEqual({
      rows: [["Yes", "No"]],
      one_time: true,
      selective: false,
      placeholder: "Yes or no",
    });
    expect([shown.components, shown.interaction]).toEqual([undefined, undefined]);
    expect((await send({ remove_keyboard: true })).keyboard).toMatchObject({ rows: [], selective: false });
    expect((await send({ force_reply: true })).keyboard).toBeUndefined();
  });
});
