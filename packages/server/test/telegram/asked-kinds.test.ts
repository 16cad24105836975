import { expect, test } from "bun:test";
import { Bot } from "grammy";
import { issueKey, revokeKey } from "../../src/agents/keys/keys.ts";
import { askFor } from "../../src/agents/kinds/kinds.service.ts";
import { kindsConsumer } from "../../src/agents/kinds/start.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { kindsScene } from "../support/kinds-scene.ts";
import { newChannel } from "../support/new-channel.ts";
import { sayId } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { testBot } from "../support/telegram.ts";

/** Protocol §5 and §15.3: kinds of items that agents ask for, and what a client of bots makes of them. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", agentLoopLimit: 0 }, { database: await open() }),
  );
  const ann = await server.user("ann");
  const boss = await staff(server, "boss", 3);

  const { chatId, scene, settle, updatesOf, reply } = kindsScene(server, ann, boss);

  test("an agent that asked for nothing gets no such item, and one that asked gets them natively", async () => {
    const agent = await server.agent("Native");
    const { id, slug } = await newChannel(ann);
    await ann.put(`/api/channels/${id}/members/Native`, {});
    const kinds = async () => {
      await settle();
      return (await agent.get("/api/agenthub/inbox")).body.items.map(({ kind }: { kind: string }) => kind);
    };
    await sayId(ann, slug, "hello");
    expect(await kinds()).toEqual([]);
    const asked = await agent.put("/api/agenthub/inbox/kinds", {
      kinds: ["message", "edit", "reaction", "membership"],
    });
    expect([asked.status, asked.body.agent_name]).toEqual([200, "Native"]);
    expect((await agent.get("/api/agenthub/inbox/kinds")).body.names).toEqual([
      { agent_name: "Native", kinds: ["edit", "membership", "message", "reaction"], telegram_kinds: [] },
    ]);
    const said = await sayId(ann, slug, "heard");
    await settle();
    await ann.put(`/api/messages/${said}`, { content: "changed" });
    const own = (await agent.post("/api/agenthub/send", { channel_slug: slug, agent_name: "Native", message: "hi" }))
      .body;
    await ann.put(`/api/messages/${own.message_id}/reactions/like`);
    await settle();
    await ann.delete(`/api/channels/${id}/members/Native`);
    const { items } = (await agent.get("/api/agenthub/inbox?kinds=message,edit,reaction,membership")).body;
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(["message", "edit", "reaction", "membership"]);
    expect(items[2]).toMatchObject({
      reaction: { username: "ann", reaction: "like", added: true },
      chat_message: { id: own.message_id },
    });
    expect(items[2].rendered).toContain('"ann" reacted with "like"');
    expect(items[3].notice.type).toBe("kicked");
    await agent.put("/api/agenthub/inbox/kinds", { kinds: [] });
    await eventually("the items are gone", async () => !(await kinds()).includes("message"));
  });

  test.each([
    ["a mention", (name: string) => `@${name} hi`, true],
    ["a command that names it", (name: string) => `/go@${name}`, true],
    ["a command that it declared", () => "/declared", true],
    ["a command that nobody declared", () => "/other", false],
    ["a plain text", () => "hi", false],
    ["a text with a slash", () => "either/or", false],
  ])("with privacy and without it, %s", async (_, text, isAlways) => {
    const hears = async (isPrivate: boolean) => {
      const { name, bot, slug } = await scene({ isPrivate });
      await bot.ask("setMyCommands", { commands: [{ command: "declared", description: "Declared" }] });
      const id = await sayId(ann, slug, text(name));
      const updates = await updatesOf(bot);
      expect(updates.map(({ message }) => message.message_id)).toEqual(updates.length === 0 ? [] : [id]);
      return updates.length === 1;
    };
    expect([await hears(true), await hears(false)]).toEqual([isAlways, true]);
  });

  test("a key without the scope `read` gets no message of others", async () => {
    const key = await issueKey(server.ctx, { agentName: "Deaf", grant: { scopes: ["inbox"] } });
    const limited = new Client(server.url, { authorization: `Bearer ${key.api_key}` });
    const ask = (kinds: string[]) => limited.put("/api/agenthub/inbox/kinds", { kinds });
    const refused = await ask(["message"]);
    expect([refused.status, refused.body.details.required]).toEqual([403, "read"]);
    expect((await ask(["reply"])).status).toBe(200);
    // As another key of the agent may ask.
    await askFor(server.ctx, { agentId: key.agent_id, agentName: "Deaf" }, "kinds", ["message"]);
    const { id, slug } = await newChannel(ann);
    await ann.put(`/api/channels/${id}/members/Deaf`, {});
    await sayId(ann, slug, "not for all ears");
    await settle();
    const made = await server.ctx.db
      .selectFrom("mentions")
      .select("kind")
      .where("agent_id", "=", key.agent_id)
      .execute();
    expect(made).toEqual([{ kind: "message" }]);
    for (const query of ["", "?kinds=message"])
      expect((await limited.get(`/api/agenthub/inbox${query}`)).body).toMatchObject({ items: [], remaining: 0 });
  });

  test("what an agent asked for ends with its last key", async () => {
    const agent = await server.agent("Ending");
    await agent.put("/api/agenthub/inbox/kinds", { kinds: ["message"] });
    await revokeKey(server.ctx, agent.apiKey);
    const asked = () =>
      server.ctx.db.selectFrom("inbox_kinds").select("kinds").where("agent_id", "=", agent.agentId).execute();
    await eventually("it is forgotten", async () => (await asked()).length === 0);
  });

  test("a bot of grammY hears all kinds", async () => {
    const { name, bot: key, id, slug } = await scene();
    const heard: string[] = [];
    const bot = new Bot(key.token, { client: { apiRoot: key.apiRoot } });
    bot.command("go", (ctx) => void heard.push(`command ${ctx.match}`));
    bot.on("message:text", (ctx) => void heard.push(`message ${ctx.message.reply_to_message?.message_id}`));
    bot.on("edited_message:text", (ctx) => void heard.push(`edit ${ctx.editedMessage.text}`));
    bot.on("message_reaction", (ctx) => void heard.push(`reaction ${ctx.reactions().emojiAdded}`));
    bot.on("my_chat_member", (ctx) => void heard.push(`place ${ctx.myChatMember.new_chat_member.status}`));
    const allowed_updates = ["message", "edited_message", "message_reaction", "my_chat_member"] as const;
    const running = bot.start({ allowed_updates });
    await eventually("it polls", async () => (await key.ask("getWebhookInfo")).allowed_updates?.length === 4);
    const next = (count: number) => eventually(`${count} are heard`, () => heard.length >= count);
    const own = await bot.api.sendMessage(chatId(id), "Well?");
    await reply(ann, slug, own.message_id);
    await next(1);
    const said = await sayId(ann, slug, `/go@${name} there`);
    await next(2);
    await ann.put(`/api/messages/${said}`, { content: `/go@${name} away` });
    await next(3);
    await ann.put(`/api/messages/${own.message_id}/reactions/${encodeURIComponent("👍")}`);
    await next(4);
    await ann.delete(`/api/channels/${id}/members/${name}`);
    await next(5);
    await bot.stop();
    await running;
    expect(heard).toEqual([
      `message ${own.message_id}`,
      "command there",
      `edit /go@${name} away`,
      "reaction 👍",
      "place left",
    ]);
  });

  test("bots that hear everything stop at the loop guard", async () => {
    await using guarded = await startTestServer({ rateLimits: "off", agentLoopLimit: 6 }, { database: await open() });
    const eve = await guarded.user("eve");
    const { id, slug } = await newChannel(eve);
    const bots = [await testBot(guarded, "Ping"), await testBot(guarded, "Pong")];
    await guarded.ctx.db.updateTable("agents").set({ telegram_privacy: 0 }).execute();
    for (const [at, bot] of bots.entries()) {
      await bot.ask("getUpdates");
      await eve.put(`/api/channels/${id}/members/${at === 0 ? "Ping" : "Pong"}`, {});
    }
    await sayId(eve, slug, "go");
    let refused = "";
    for (let round = 0; refused === "" && round < 30; round += 1) {
      await kindsConsumer(guarded.ctx).flush();
      for (const bot of bots) {
        const updates = await bot.ask("getUpdates");
        const last = updates.at(-1)?.update_id;
        if (last !== undefined) await bot.ask("getUpdates", { offset: last + 1 });
        for (const { message } of updates) {
          if (message === undefined) continue;
          const { status, body } = await bot.call("sendMessage", { chat_id: chatId(id), text: "again" });
          if (status === 429) refused = body.description;
        }
      }
    }
    expect(refused).toStartWith("Too Many Requests: agents have sent too many messages in a row here.");
  });
});
