import { expect, test } from "bun:test";
import { countAgentStreams } from "../../src/agents/events/open-stream-limits.ts";
import { createLog } from "../../src/logging/log.ts";
import { botsOf } from "../../src/telegram/bots.ts";
import { pollTopic } from "../../src/telegram/pollers.ts";
import { afterReads } from "../support/after-reads.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** Protocol §15.3: who polls, who is called, and what an offset confirms. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, egressAllow: ["127.0.0.1"] }));
const ann = await server.user("ann");

/** Bots have names of their own, so that no test sees the mentions of another. */
let made = 0;
const newBot = async () => {
  const name = `Bot${++made}`;
  return { name, bot: await testBot(server, name) };
};

test("a newer poll ends the older one with 409, and gets the update", async () => {
  const { name, bot } = await newBot();
  const older = bot.call("getUpdates", { timeout: 50 });
  await eventually("the older one waits", () => countAgentStreams(server.ctx) > 0);
  const newer = bot.call("getUpdates", { timeout: 50 });
  const { status, body } = await older;
  expect([status, body]).toEqual([
    409,
    {
      ok: false,
      error_code: 409,
      description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    },
  ]);
  const id = await sayId(ann, "general", `@${name} hi`);
  expect((await newer).body.result[0].message.message_id).toBe(id);
});

test("a poll that does not wait is answered although another one has begun meanwhile, as a bot that stops makes it", async () => {
  const { bot } = await newBot();
  const { id } = (await botsOf(server.ctx, bot.agentId))[0] ?? { id: 0 };
  const [isRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  using _ = afterReads(server.ctx.root, async () => {
    if (isHeld || server.ctx.hub.holders(pollTopic(id)) === 0) return;
    isHeld = true;
    isRead.resolve();
    await mayGoOn.promise;
  });
  const short = bot.call("getUpdates", { offset: 1, limit: 1 });
  await isRead.promise;
  const long = bot.call("getUpdates", { timeout: 50 });
  await eventually("the other one waits", () => countAgentStreams(server.ctx) > 0);
  // By its answer, the first poll has heard of the second.
  await bot.call("getMe");
  mayGoOn.resolve();
  expect((await short).status).toBe(200);
  await bot.call("getUpdates", { timeout: 1 });
  expect((await long).status).toBe(409);
});

test("of several pollers the last one stays", async () => {
  const { name, bot } = await newBot();
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1)
    void bot.call("getUpdates", { timeout: 50 }).then(({ status }) => statuses.push(status));
  await eventually("a poll is refused", () => statuses.length > 0);
  expect(statuses).toEqual([409]);
  await sayId(ann, "general", `@${name} hi`);
  await eventually("all have ended", () => statuses.length === 3);
});

test("an offset of the far future confirms everything once, and then means nothing", async () => {
  const { name, bot } = await newBot();
  await say(ann, "general", `@${name} old`);
  const offset = 800_000_000;
  expect(await bot.ask("getUpdates", { offset })).toEqual([]);
  const id = await sayId(ann, "general", `@${name} new`);
  const [update] = await bot.ask("getUpdates", { offset });
  expect(update.message.message_id).toBe(id);
  expect(await bot.ask("getUpdates", { offset })).toEqual([update]);
  expect(await bot.ask("getUpdates", { offset: update.update_id + 1 })).toEqual([]);
});

test("a negative offset forgets all but the newest; one of the past changes nothing", async () => {
  const { name, bot } = await newBot();
  const ids = [];
  for (const text of ["one", "two", "three"]) ids.push(await sayId(ann, "general", `@${name} ${text}`));
  const idsOf = (updates: { message: { message_id: number } }[]) => updates.map(({ message }) => message.message_id);
  expect(idsOf(await bot.ask("getUpdates", { offset: 1 }))).toEqual(ids);
  expect(idsOf(await bot.ask("getUpdates", { offset: -5 }))).toEqual(ids);
  expect(idsOf(await bot.ask("getUpdates", { limit: 2 }))).toEqual(ids.slice(0, 2));
  expect(idsOf(await bot.ask("getUpdates", { offset: -2 }))).toEqual(ids.slice(1));
  expect(idsOf(await bot.ask("getUpdates", {}))).toEqual(ids.slice(1));
});

test("a bot that writes is in the channel, until it leaves", async () => {
  const { bot } = await newBot();
  const { id } = await newChannel(ann);
  const chat_id = -(1_000_000_000_000 + id);
  const status = async () => (await bot.ask("getChatMember", { chat_id, user_id: bot.userId })).status;
  expect(await status()).toBe("left");
  await bot.ask("sendMessage", { chat_id, text: "hello" });
  expect(await status()).toBe("member");
  await bot.ask("leaveChat", { chat_id });
  expect(await status()).toBe("left");
  const [owner] = await bot.ask("getChatAdministrators", { chat_id });
  expect(owner).toMatchObject({ status: "creator", user: { username: "ann" } });
  expect(await bot.ask("getChatMemberCount", { chat_id })).toBe(1);
  expect(await bot.ask("getChat", { chat_id })).toMatchObject({ id: chat_id, type: "supergroup", accent_color_id: 0 });
});

test("commands and texts about the bot are kept", async () => {
  const { bot } = await newBot();
  const commands = [{ command: "start", description: "Begin" }];
  expect(await bot.ask("setMyCommands", { commands })).toBe(true);
  expect(await bot.ask("getMyCommands")).toEqual(commands);
  expect(await bot.ask("getMyCommands", { scope: { type: "all_group_chats" } })).toEqual([]);
  const refused = await bot.call("setMyCommands", { commands: [{ command: "No!", description: "x" }] });
  expect(refused.body.description).toBe("Bad Request: BOT_COMMAND_INVALID");
  expect(await bot.ask("deleteMyCommands")).toBe(true);
  expect(await bot.ask("getMyCommands")).toEqual([]);
  await bot.ask("setMyDescription", { description: "Helps" });
  expect(await bot.ask("getMyDescription")).toEqual({ description: "Helps" });
});

test("a webhook gets the updates in order, again until it confirms, and its answers are calls", async () => {
  const { name, bot } = await newBot();
  using receiver = new WebhookReceiver();
  const general = -1_000_000_000_001;
  receiver.answer = (_, count) =>
    count === 1
      ? new Response(null, { status: 500 })
      : Response.json({ method: "sendMessage", chat_id: general, text: `answer ${count}` });
  await bot.ask("setWebhook", { url: receiver.url, secret_token: "a_secret" });
  expect((await bot.call("getUpdates")).body.description).toStartWith(
    "Conflict: can't use getUpdates method while webhook is active",
  );
  const ids = [await sayId(ann, "general", `@${name} one`), await sayId(ann, "general", `@${name} two`)];
  await eventually("both are sent", () => receiver.received.length >= 3);
  const sent = receiver.received.map(({ text }) => JSON.parse(text).message.message_id);
  expect(sent).toEqual([ids[0], ...ids]);
  expect(receiver.received[0]?.headers.get("x-telegram-bot-api-secret-token")).toBe("a_secret");
  const info = await eventually("everything is confirmed", async () => {
    const found = await bot.ask("getWebhookInfo");
    return found.pending_update_count === 0 && found;
  });
  expect(info).toMatchObject({ url: receiver.url, last_error_message: "Wrong response from the webhook: 500" });
  await eventually("the answers are sent", async () => {
    const { messages } = (await ann.get("/api/messages?channel_slug=general&limit=5")).body;
    return messages.filter(({ agent_name }: { agent_name: string }) => agent_name === name).length === 2;
  });
  expect(await bot.ask("deleteWebhook", { drop_pending_updates: true })).toBe(true);
  expect(await bot.ask("getUpdates")).toEqual([]);
});

test("webhooks inside the network, and those of limited keys, are refused", async () => {
  const { bot } = await newBot();
  for (const url of ["https://10.0.0.1/x", "http://example.com/", "ftp://x", "https://169.254.169.254/", "nothing"]) {
    const { status, body } = await bot.call("setWebhook", { url });
    expect([url, status]).toEqual([url, 400]);
    expect(body.description).toStartWith("Bad Request: bad webhook: ");
  }
  expect((await bot.ask("getWebhookInfo")).url).toBe("");
});

test("too many requests are 429 with the seconds to wait", async () => {
  await using limited = await startTestServer();
  const bot = await testBot(limited, "Hasty");
  const answers = [];
  for (let count = 0; count < 700; count += 1) {
    const answer = await bot.call("sendMessage", { chat_id: "@general", text: "a" });
    answers.push(answer);
    if (answer.status === 429) break;
  }
  const { status, headers, body } = answers.at(-1) ?? {};
  expect(status).toBe(429);
  if (body.parameters !== undefined) {
    expect(body.description).toBe(`Too Many Requests: retry after ${body.parameters.retry_after}`);
    expect(headers?.get("retry-after")).toBe(String(body.parameters.retry_after));
  } else expect(body.description).toStartWith("Too Many Requests: agents have sent too many messages in a row here.");
});

test("no key is in a line of the log, nor in the metrics", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "trace", readable: false, write: (line) => void lines.push(line) });
  await using loud = await startTestServer({}, { log });
  const bot = await testBot(loud, "Quiet");
  await bot.ask("getMe");
  await bot.call("nothing");
  loud.ctx.log.warn({ url: `/telegram/bot${bot.token.replace(":", "%3A")}/getMe` }, "a line with an address");
  const secret = bot.apiKey.slice(-40);
  expect(lines.join("\n")).not.toContain(secret);
  const metrics = await loud.guest.get("/metrics");
  expect(metrics.body).toContain("/telegram/*");
  expect(metrics.body).not.toContain(secret);
});
