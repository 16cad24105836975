import { expect, test } from "bun:test";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** Protocol §15.5: a draft is a stream (§12.7) that leaves nothing unless its bot sends it. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const overrides = { database: await open(clock), clock };
  const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }, overrides));
  const ann = await server.user("ann");
  let made = 0;

  /** A bot in a channel of its own. */
  const scene = async () => {
    const bot = await testBot(server, `Writer${++made}`);
    const { id, slug } = await newChannel(ann);
    const chat_id = -(1_000_000_000_000 + id);
    const streams = () =>
      server.ctx.db.selectFrom("streams").selectAll().where("channel_id", "=", id).orderBy("id").execute();
    return {
      bot,
      slug,
      streams,
      draft: (text: string, more = {}) => bot.ask("sendMessageDraft", { chat_id, draft_id: 1, text, ...more }),
      send: (text: string, more = {}) => bot.ask("sendMessage", { chat_id, text, ...more }),
      shown: async () => (await streams()).filter(({ state }) => state === "open").map(({ content }) => content),
      messages: async () => (await ann.get(`/api/messages?channel_slug=${slug}`)).body.messages,
    };
  };

  test("a draft whose text goes on grows, and the next send finishes it with its own text", async () => {
    const { slug, draft, send, shown, streams, messages } = await scene();
    for (const text of ["", "Hello ", "Hello world\n", "Hello world\n\n1. *one"]) expect(await draft(text)).toBe(true);
    expect(await shown()).toEqual(["Hello world\n\n1\\. \\*one"]);
    const { message_id } = await say(ann, slug, "meanwhile");
    const sent = await send("Hello, world!", { reply_parameters: { message_id } });
    expect(sent).toMatchObject({ text: "Hello, world!", reply_to_message: { message_id } });
    expect(await shown()).toEqual([]);
    expect((await streams()).map(({ state, message_id: id }) => [state, id])).toEqual([["finished", sent.message_id]]);
    expect(await messages()).toHaveLength(2);
    await send("another");
    expect(await messages()).toHaveLength(3);
  });

  test("another text cancels the draft and begins another one", async () => {
    const { draft, shown, streams, messages } = await scene();
    await draft("One thing");
    await draft("Two things");
    expect(await shown()).toEqual(["Two things"]);
    expect((await streams()).map(({ state }) => state)).toEqual(["cancelled", "open"]);
    expect(await messages()).toEqual([]);
  });

  test("a draft in a thread ends with a send there, and not with one elsewhere", async () => {
    const { slug, draft, send, shown, messages } = await scene();
    const { message_id: root } = await say(ann, slug, "a thread");
    await draft("inside", { message_thread_id: root });
    await send("outside");
    expect(await shown()).toEqual(["inside"]);
    const sent = await send("inside, at last", { message_thread_id: root });
    expect([sent.message_thread_id, await shown()]).toEqual([root, []]);
    expect(await messages()).toHaveLength(3);
  });

  test("a file ends the draft without its text", async () => {
    const { bot, slug, draft, shown, messages } = await scene();
    await draft("Here is the");
    const form = new FormData();
    form.set("chat_id", `@${slug}`);
    form.set("document", new File(["a"], "a.txt"));
    const answer = await fetch(`${bot.apiRoot}/bot${bot.token}/sendDocument`, { method: "POST", body: form });
    expect([answer.status, await shown()]).toEqual([200, []]);
    expect(await messages()).toHaveLength(1);
  });

  test("a rich draft is stored as it is, and may be longer than a message of REST", async () => {
    const { bot, slug, shown } = await scene();
    const markdown = `**bold** ${"word ".repeat(2_000)}end`;
    await bot.ask("sendRichMessageDraft", { chat_id: `@${slug}`, draft_id: 2, rich_message: { markdown } });
    expect(await shown()).toEqual([markdown]);
    const { message_id } = await bot.ask("sendRichMessage", { chat_id: `@${slug}`, rich_message: { markdown } });
    expect((await ann.get(`/api/messages?channel_slug=${slug}&ids=${message_id}`)).body.messages[0].content).toBe(
      markdown,
    );
  });

  test("30 s without a draft cancel it, and a stream of REST is left alone", async () => {
    const { bot, slug, draft, shown, messages } = await scene();
    await draft("unfinished");
    clock.ahead += 29_000;
    await draft("unfinished");
    clock.ahead += 29_000;
    expect(await shown()).toEqual(["unfinished"]);
    clock.ahead += 1_500;
    await eventually("the draft is cancelled", async () => (await shown()).length === 0);
    expect(await messages()).toEqual([]);
    const agent = new Client(server.url, { authorization: `Bearer ${bot.apiKey}` });
    const started = await agent.post("/api/agenthub/streams", { channel_slug: slug, client_msg_id: "mine" });
    expect(started.status).toBe(201);
    const refused = await bot.call("sendMessageDraft", { chat_id: `@${slug}`, draft_id: 1, text: "a" });
    expect([refused.status, refused.body.description]).toEqual([400, expect.stringMatching(/^Bad Request: /)]);
  });

  test("drafts are refused as sends are", async () => {
    const { bot, slug } = await scene();
    const refused = async (fields: object) => {
      const { status, body } = await bot.call("sendMessageDraft", { draft_id: 1, text: "a", ...fields });
      return [status, body.description];
    };
    expect(await refused({ chat_id: "@nowhere" })).toEqual([400, "Bad Request: chat not found"]);
    expect(await refused({ chat_id: `@${slug}`, text: "x".repeat(4_097) })).toEqual([
      400,
      "Bad Request: message is too long",
    ]);
    expect(await refused({ chat_id: `@${slug}`, message_thread_id: 999_999 })).toEqual([
      400,
      "Bad Request: message thread not found",
    ]);
    const { description } = (await bot.call("sendRichMessageDraft", { chat_id: `@${slug}`, text: "a" })).body;
    expect(description).toBe("Bad Request: unsupported rich message");
  });
});
