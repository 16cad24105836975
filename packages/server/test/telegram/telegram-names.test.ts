import { expect, test } from "bun:test";
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
