import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { kindsScene } from "../support/kinds-scene.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { type TestBot, testBot } from "../support/telegram.ts";

/** Protocol §15.3: which updates a bot gets, by what it allows and by its privacy. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", agentLoopLimit: 0 }, { database: await open() }),
  );
  const ann = await server.user("ann");
  const boss = await staff(server, "boss", 3);

  const { chatId, scene, privacy, settle, updatesOf, drain, reply, freshName } = kindsScene(server, ann, boss);

  test("a reply to a message of the bot is an update, and so is one in a thread that it began", async () => {
    const { bot, slug, chat_id } = await scene();
    const own = await bot.ask("sendMessage", { chat_id, text: "A subject" });
    const other = await sayId(ann, slug, "no answer");
    const answer = (await reply(ann, slug, own.message_id)).body.message_id;
    await reply(ann, slug, other);
    const thread = { channel_slug: slug, content: "in the thread", thread_root_id: own.message_id };
    const within = (await ann.post("/api/messages", thread)).body.message_id;
    const updates = await updatesOf(bot);
    expect(updates.map(({ message }) => message?.message_id)).toEqual([answer, within]);
    expect(updates[0].message.reply_to_message).toMatchObject({ message_id: own.message_id, from: { id: bot.userId } });
    expect(updates[1].message).toMatchObject({ message_thread_id: own.message_id, is_topic_message: true });
    await bot.ask("getUpdates", { offset: updates[1].update_id + 1 });
    expect(await updatesOf(bot)).toEqual([]);
  });

  test("a mention that is also a reply and a command is one update", async () => {
    const { name, bot, slug, chat_id } = await scene();
    const own = await bot.ask("sendMessage", { chat_id, text: "Ask me" });
    await bot.ask("setMyCommands", { commands: [{ command: "ask", description: "Ask" }] });
    const id = (await reply(ann, slug, own.message_id, `/ask @${name} what?`)).body.message_id;
    expect((await updatesOf(bot)).map(({ message }) => message.message_id)).toEqual([id]);
  });

  test("commands reach the bot that they name, those that declared them, and the one that wrote last", async () => {
    const one = await scene();
    const otherName = freshName();
    const other = await testBot(server, otherName);
    await other.ask("getUpdates");
    await ann.put(`/api/channels/${one.id}/members/${otherName}`, {});
    await drain(other);
    await one.bot.ask("setMyCommands", { commands: [{ command: "weather", description: "Weather" }] });
    const idsOf = async (bot: TestBot) => (await updatesOf(bot)).map(({ message }) => message.message_id);
    const declared = await sayId(ann, one.slug, "/weather tomorrow");
    const named = await sayId(ann, one.slug, `/anything@${otherName}`);
    await sayId(ann, one.slug, "/unknown");
    await sayId(ann, one.slug, "say /weather");
    expect([await idsOf(one.bot), await idsOf(other)]).toEqual([[declared], [named]]);
    await drain(one.bot);
    await drain(other);
    await one.bot.ask("sendMessage", { chat_id: one.chat_id, text: "first" });
    await other.ask("sendMessage", { chat_id: one.chat_id, text: "last" });
    const start = await sayId(ann, one.slug, "/start");
    expect([await idsOf(one.bot), await idsOf(other)]).toEqual([[], [start]]);
  });

  test("without privacy a bot gets every message of the channels it is in, until it is turned on again", async () => {
    const { name, bot, id, slug, chat_id } = await scene({ isPrivate: false });
    expect((await bot.ask("getMe")).can_read_all_group_messages).toBe(true);
    const said = await sayId(ann, slug, "to nobody");
    await sayId(ann, "general", "elsewhere");
    const other = await testBot(server, freshName());
    const byBot = await other.ask("sendMessage", { chat_id, text: "beep" });
    await bot.ask("sendMessage", { chat_id, text: "my own" });
    const updates = await updatesOf(bot);
    expect(updates.map(({ message }) => message.message_id)).toEqual([said, byBot.message_id]);
    expect(updates[1].message.from.is_bot).toBe(true);
    await privacy(bot, true);
    expect((await bot.ask("getMe")).can_read_all_group_messages).toBe(false);
    expect(await updatesOf(bot)).toEqual([]);
    await sayId(ann, slug, "unheard");
    const mention = await sayId(ann, slug, `@${name} heard`);
    expect((await updatesOf(bot)).map(({ message }) => message.message_id)).toEqual([mention]);
    await drain(bot);
    await privacy(bot, false);
    await ann.delete(`/api/channels/${id}/members/${name}`);
    await drain(bot);
    await sayId(ann, slug, "after the kick");
    expect(await updatesOf(bot)).toEqual([]);
  });

  test("who is kicked, or leaves, gets no more; who writes is in the channel", async () => {
    const { bot } = await scene({ isPrivate: false });
    const { id, slug } = await newChannel(ann);
    const chat_id = chatId(id);
    await sayId(ann, slug, "before");
    expect(await updatesOf(bot)).toEqual([]);
    await bot.ask("sendMessage", { chat_id, text: "I am here" });
    expect(await bot.ask("getChatMemberCount", { chat_id })).toBe(2);
    expect((await bot.ask("getChatMember", { chat_id, user_id: bot.userId })).status).toBe("member");
    const heard = await sayId(ann, slug, "heard");
    expect((await updatesOf(bot)).map(({ message }) => message.message_id)).toEqual([heard]);
    await drain(bot);
    await bot.ask("leaveChat", { chat_id });
    expect((await bot.ask("getChatMember", { chat_id, user_id: bot.userId })).status).toBe("left");
    await sayId(ann, slug, "after");
    expect(await updatesOf(bot)).toEqual([]);
  });

  test("an edit of a message that the bot was sent is an update, once for the newest text", async () => {
    const { name, bot, slug } = await scene();
    const id = await sayId(ann, slug, `@${name} one`);
    const unseen = await sayId(ann, slug, "not for the bot");
    await drain(bot);
    await ann.put(`/api/messages/${id}`, { content: `@${name} two` });
    await ann.put(`/api/messages/${unseen}`, { content: "changed" });
    await settle();
    await ann.put(`/api/messages/${id}`, { content: `@${name} three` });
    const updates = await updatesOf(bot);
    expect(updates).toHaveLength(1);
    expect(updates[0].edited_message).toMatchObject({
      message_id: id,
      text: `@${name} three`,
      edit_date: expect.any(Number),
    });
    await drain(bot);
    await ann.post(`/api/messages/${id}/pin`, {});
    expect(await updatesOf(bot)).toEqual([]);
    const late = await sayId(ann, slug, "later");
    await ann.put(`/api/messages/${late}`, { content: `@${name} now` });
    expect((await updatesOf(bot)).map((update) => Object.keys(update)[1])).toEqual(["message"]);
  });

  test("reactions of people to the bot's messages come only to a bot that names them", async () => {
    const { bot, slug, chat_id } = await scene({ allowed: ["message_reaction"] });
    const silent = await scene();
    const own = await bot.ask("sendMessage", { chat_id, text: "Like it?" });
    const other = await silent.bot.ask("sendMessage", { chat_id, text: "And this?" });
    for (const { message_id } of [own, other])
      await ann.put(`/api/messages/${message_id}/reactions/${encodeURIComponent("👍")}`);
    await ann.delete(`/api/messages/${own.message_id}/reactions/${encodeURIComponent("👍")}`);
    await bot.ask("setMessageReaction", {
      chat_id,
      message_id: own.message_id,
      reaction: [{ type: "emoji", emoji: "🎉" }],
    });
    const updates = await updatesOf(bot);
    const thumb = { type: "emoji", emoji: "👍" };
    expect(
      updates.map(({ message_reaction: of }) => [of.message_id, of.user.username, of.old_reaction, of.new_reaction]),
    ).toEqual([
      [own.message_id, "ann", [], [thumb]],
      [own.message_id, "ann", [thumb], []],
    ]);
    expect(await updatesOf(silent.bot)).toEqual([]);
    expect(slug).toBeString();
  });

  test("a bot hears where it was added, kicked and banned, and that its channel was deleted", async () => {
    const { name, bot } = await scene();
    const { id, slug } = await newChannel(ann);
    const chat_id = chatId(id);
    await ann.put(`/api/channels/${id}/members/${name}`, {});
    await ann.delete(`/api/channels/${id}/members/${name}`);
    await ann.put(`/api/channels/${id}/members/${name}`, {});
    await ann.post(`/api/channels/${id}/bans`, { agent_name: name });
    const other = await newChannel(ann);
    await ann.put(`/api/channels/${other.id}/members/${name}`, {});
    await ann.delete(`/api/channels/${other.id}`);
    const changes = (await updatesOf(bot)).map(({ my_chat_member: of }) => [
      of.chat.id,
      of.old_chat_member.status,
      of.new_chat_member.status,
    ]);
    expect(changes).toEqual([
      [chat_id, "left", "member"],
      [chat_id, "member", "left"],
      [chat_id, "left", "member"],
      [chat_id, "member", "kicked"],
      [chatId(other.id), "left", "member"],
      [chatId(other.id), "member", "left"],
    ]);
    expect(slug).toBeString();
  });

  test("news of its place names the person who added or banned it, and the system for what nobody notes", async () => {
    const { name, bot, id } = await scene();
    const fromOf = async () => {
      const found = await updatesOf(bot);
      await drain(bot);
      return found.map(({ my_chat_member: of }) => of.from.first_name);
    };
    await ann.delete(`/api/channels/${id}/members/${name}`);
    expect(await fromOf()).toEqual(["system"]);
    await ann.put(`/api/channels/${id}/members/${name}`, {});
    expect(await fromOf()).toEqual(["ann"]);
    await ann.post(`/api/channels/${id}/bans`, { agent_name: name });
    expect(await fromOf()).toEqual(["ann"]);
    await ann.delete(`/api/channels/${id}/bans/${name}`);
    await ann.put(`/api/channels/${id}/members/${name}`, {});
    await ann.post(`/api/channels/${id}/bans`, { agent_name: name });
    expect(await fromOf()).toEqual(["system", "ann"]);
  });

  test("the list of kinds is kept until another one is sent; an empty one is the default set", async () => {
    const { name, bot, slug, chat_id } = await scene();
    const own = await bot.ask("sendMessage", { chat_id, text: "Hm" });
    const kindsNow = async () => (await updatesOf(bot)).map((update) => Object.keys(update)[1]);
    const change = async () => {
      const id = await sayId(ann, slug, `@${name} a`);
      await settle();
      await ann.put(`/api/messages/${id}`, { content: `@${name} b` });
      await ann.put(`/api/messages/${own.message_id}/reactions/like`);
      await settle();
      await ann.delete(`/api/messages/${own.message_id}/reactions/like`);
    };
    await bot.ask("getUpdates", { allowed_updates: ["edited_message", "poll", "no_such_kind"] });
    await change();
    expect(await kindsNow()).toEqual(["edited_message"]);
    const [edit] = await bot.ask("getUpdates");
    expect(await bot.ask("getUpdates", { offset: edit.update_id + 1 })).toEqual([]);
    await bot.ask("getUpdates", { allowed_updates: [] });
    await change();
    expect(await kindsNow()).toEqual(["message", "edited_message"]);
    expect((await bot.ask("getWebhookInfo")).allowed_updates).toBeUndefined();
    await drain(bot);
    await bot.ask("getUpdates", { allowed_updates: ["poll"] });
    await change();
    expect(await kindsNow()).toEqual([]);
    expect((await bot.call("getUpdates", { allowed_updates: "message" })).status).toBe(400);
  });

  test("a message that is deleted takes its updates with it", async () => {
    const { bot, slug } = await scene({ isPrivate: false });
    const id = await sayId(ann, slug, "soon gone");
    await settle();
    await ann.delete(`/api/messages/${id}`);
    expect(await updatesOf(bot)).toEqual([]);
    expect((await bot.ask("getWebhookInfo")).pending_update_count).toBe(0);
  });
});
