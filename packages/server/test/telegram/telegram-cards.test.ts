import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { sayId } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { type TestBot, testBot } from "../support/telegram.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const CHAT = -1_000_000_000_001;
const MENU = { inline_keyboard: [[{ text: "Do a", callback_data: "a" }]] };

/** Cards that a bot's agent sent by REST are none of the door's (protocol §15.6). */
eachDatabase(async (_, open) => {
  const config = { rateLimits: "off" as const, agentLoopLimit: 0, egressAllow: ["127.0.0.1"] };
  const server = await forAllTests(startTestServer(config, { database: await open() }));
  const ann = await server.user("ann");
  const press = (id: number, action_id: string) => ann.post(`/api/interactions/${id}/press`, { action_id });

  /** Sends an open card by REST, and returns its id and the agent as it calls REST. */
  async function card(bot: TestBot, agent_name: string) {
    const native = new Client(server.url, { authorization: `Bearer ${bot.apiKey}` });
    const elements = [{ type: "button", action_id: "go", label: "Go" }];
    const { status, body } = await native.post("/api/agenthub/send", {
      channel_slug: "general",
      agent_name,
      message: "Press",
      interaction: { kind: "open", who: { roles: ["member"] } },
      components: [{ type: "row", elements }],
    });
    expect(status).toBe(201);
    return { native, id: body.message_id as number };
  }

  test("a press of one is no update, stays in the inbox past every offset, and holds up nothing", async () => {
    const bot = await testBot(server, "Mixed");
    const { native, id } = await card(bot, "Mixed");
    const { message_id } = await bot.ask("sendMessage", { chat_id: CHAT, text: "Choose", reply_markup: MENU });
    expect((await press(id, "go")).status).toBe(200);
    expect(await bot.ask("getUpdates", { timeout: 0 })).toEqual([]);
    expect((await bot.ask("getWebhookInfo")).pending_update_count).toBe(0);
    await press(message_id, "b0");
    const [update, ...more] = await bot.ask("getUpdates", { limit: 1 });
    expect([update.callback_query.data, more]).toEqual(["a", []]);
    expect(await bot.ask("getUpdates", { offset: update.update_id + 1 })).toEqual([]);
    expect(await bot.ask("getUpdates", { offset: -1 })).toEqual([]);
    const { items } = (await native.get("/api/agenthub/inbox?kinds=press")).body;
    expect(items.map(({ interaction }: { interaction: { message_id: number } }) => interaction.message_id)).toEqual([
      id,
    ]);
  });

  test("a webhook gets what comes after a press of one", async () => {
    const bot = await testBot(server, "Hooked");
    const { native, id } = await card(bot, "Hooked");
    expect((await press(id, "go")).status).toBe(200);
    using receiver = new WebhookReceiver();
    await bot.ask("setWebhook", { url: receiver.url });
    const said = await sayId(ann, "general", "@Hooked after it");
    await eventually("it is sent", () => receiver.received.length > 0);
    expect(receiver.received.map(({ text }) => JSON.parse(text).message?.message_id)).toEqual([said]);
    await eventually("it is confirmed", async () => (await bot.ask("getWebhookInfo")).pending_update_count === 0);
    expect((await native.get("/api/agenthub/inbox")).body.items.map(({ kind }: { kind: string }) => kind)).toEqual([
      "press",
    ]);
  });
});
