import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** Protocol §15.2: names and slugs in their ASCII form, in both directions. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", agentLoopLimit: 0 }, { database: await open() }),
  );
  const ann = await server.user("ann.lee");
  const bot = await testBot(server, "Mailer");
  const chat_id = "@general";
  const contentOf = async (id: number) =>
    (await ann.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0];
  const idOf = async (username: string) =>
    (await server.ctx.db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirstOrThrow())
      .id;
  const send = async (text: string, more: object = {}) =>
    contentOf((await bot.ask("sendMessage", { chat_id, text, ...more })).message_id);

  test("a bot reads a name as ASCII, and what it writes so mentions that name", async () => {
    for (const name of ["Däta Löw", "Émile", "日本bot", "小明", "Robot-7", "Data.Low"]) {
      const other = await testBot(server, name);
      const { username } = await other.ask("getMe");
      expect(username).toMatch(/^\w+$/);
      const id = await sayId(ann, "general", `@Mailer ask @${name} please`);
      const updates = await bot.ask("getUpdates");
      const update = updates.find(({ message }: { message: { message_id: number } }) => message.message_id === id);
      expect(update.message.text).toBe(`@Mailer ask @${username} please`);
      const message = await send(`Hi @${username}, *ok*?`);
      expect([name, message.content]).toEqual([name, `Hi @${name}, \\*ok\\*?`]);
      expect(message.mentions).toMatchObject([{ type: "agent", name }]);
    }
  });

  test("people are found, too, and marks keep their places", async () => {
    const message = await send("<b>to</b> @ann_lee <i>now</i> @ann_lee", { parse_mode: "HTML" });
    expect(message.content).toBe("**to** @ann.lee _now_ @ann.lee");
    expect(message.mentions[0]).toMatchObject({ type: "user", name: "ann.lee" });
    await bot.ask("editMessageText", { chat_id, message_id: message.id, text: "Hello @Ann_Lee" });
    expect((await contentOf(message.id)).content).toBe("Hello @ann.lee");
  });

  test("a name that exists is itself, and one that several have is left as it is", async () => {
    await testBot(server, "max-x");
    await testBot(server, "max.x");
    expect((await send("@max_x hi")).mentions).toEqual([]);
    await server.user("max_x");
    expect((await send("@max_x hi")).mentions).toMatchObject([{ type: "user", name: "max_x" }]);
  });

  describe("a mention by id", () => {
    const mention = (offset: number, length: number, id: number | string) => ({
      entities: [{ type: "text_mention", offset, length, user: { id, is_bot: false, first_name: "x" } }],
    });
    const named = ({ mentions }: { mentions: { type: string; name: string }[] }) => mentions.map(({ name }) => name);

    test("names who is in the chat, in every form that the Bot API has for it", async () => {
      await sayId(ann, "general", "I am here");
      const id = 5_000_000_000 + (await idOf("ann.lee"));
      for (const more of [
        mention(3, 7, id),
        mention(3, 7, String(id)),
        { text: `Hi <a href="tg://user?id=${id}">Ann.Lee</a>!`, parse_mode: "HTML" },
        { text: `Hi [Ann\\.Lee](tg://user?id=${id})\\!`, parse_mode: "MarkdownV2" },
        { text: `Hi [Ann.Lee](tg://user?id=${id})!`, parse_mode: "Markdown" },
      ]) {
        const message = await send("Hi Ann.Lee!", more);
        expect([message.content, named(message)]).toEqual(["Hi @Ann.Lee!", ["ann.lee"]]);
      }
      const other = await testBot(server, "Däta Bot");
      await other.ask("sendMessage", { chat_id, text: "in" });
      expect(named(await send("Ask Däta Bot.", mention(4, 8, other.userId)))).toEqual(["Däta Bot"]);
      await bot.ask("editMessageText", {
        chat_id,
        message_id: (await send("first")).id,
        text: "Hi ann.lee",
        ...mention(3, 7, id),
      });
    });

    test("stays behind another text, with its marks, and beside a letter", async () => {
      const id = 5_000_000_000 + (await idOf("ann.lee"));
      const bold = { type: "bold", offset: 0, length: 9 };
      const entities = [bold, ...mention(3, 6, id).entities];
      const message = await send("my friend, hi", { entities });
      expect([message.content, named(message)]).toEqual(["**my friend** (@ann.lee), hi", ["ann.lee"]]);
      const beside = await send("ann.lees", mention(0, 7, id));
      expect([beside.content, named(beside)]).toEqual(["ann.lee (@ann.lee)s", ["ann.lee"]]);
    });

    test("keeps its text if the id is nobody's, of somebody who is not in the chat, or in code", async () => {
      const stranger = await server.user("stranger");
      expect(stranger.credential).toBeDefined();
      const { id: hall, slug } = await newChannel(ann, { is_private: true });
      await ann.put(`/api/channels/${hall}/members/Mailer`, {});
      const inHall = async (more: object) =>
        (await bot.ask("sendMessage", { chat_id: `@${slug}`, text: "Hi stranger", ...more })).text;
      const id = 5_000_000_000 + (await idOf("stranger"));
      for (const given of [id, 5_999_999_999, 7_999_999_999, 1, -5, "x", 2 ** 53])
        expect([given, await inHall(mention(3, 8, given))]).toEqual([given, "Hi stranger"]);
      const ann5 = 5_000_000_000 + (await idOf("ann.lee"));
      const code = { type: "code", offset: 0, length: 10 };
      const message = await send("Hi ann.lee", { entities: [code, ...mention(3, 7, ann5).entities] });
      expect([message.content, named(message)]).toEqual(["`Hi ann.lee`", []]);
      for (const wrong of [{ user: null }, { user: 5 }, { user: {} }, { user: { id: {} } }, {}])
        expect(
          (await send("Hi x", { entities: [{ type: "text_mention", offset: 3, length: 1, ...wrong }] })).content,
        ).toBe("Hi x");
      expect((await send("Hi", mention(1, 90, ann5))).content).toBe("Hi");
    });

    test("is not made of hundreds of them", async () => {
      const id = 5_000_000_000 + (await idOf("ann.lee"));
      const text = Array.from(
        { length: 600 },
        (_, n) => `<a href="tg://user?id=${n === 0 ? id : 5_500_000_000 + n}">a</a>`,
      ).join(" ");
      expect(named(await send(text, { parse_mode: "HTML" }))).toEqual(["ann.lee"]);
      const nested = `${`<a href="tg://user?id=${id}">`.repeat(5_000)}b${"</a>".repeat(5_000)}`;
      expect(named(await send(nested, { parse_mode: "HTML" }))).toEqual(["ann.lee"]);
    });
  });

  test("code, links, addresses and words stay as they are", async () => {
    const text = "`@ann_lee` [a @ann_lee](http://a.b/@ann_lee) x@ann\\_lee.org";
    expect((await send(text, { parse_mode: "Markdown" })).mentions).toEqual([]);
    const many = Array.from({ length: 400 }, (_, n) => `@no_${n}`).join(" ");
    expect((await send(many)).mentions).toEqual([]);
    expect((await send("@bot999999 @____ @_ 100%_")).mentions).toEqual([]);
  });

  test("a channel's slug is read and written with underscores", async () => {
    const { slug, id } = await newChannel(ann);
    expect(slug).toContain("-");
    const chat = await bot.ask("getChat", { chat_id: `@${slug.replaceAll("-", "_")}` });
    expect(chat).toMatchObject({ id: -(1_000_000_000_000 + id), username: slug.replaceAll("-", "_") });
    expect((await bot.ask("getChat", { chat_id: `@${slug}` })).id).toBe(chat.id);
  });
});
