import { afterAll, describe, expect, test } from "bun:test";
import { Bot, InputFile } from "grammy";
import { Bot as NtbaBot, InputFile as NtbaFile } from "node-telegram-bot-api";
import { Telegraf } from "telegraf";
import { forAllTests } from "../support/for-all-tests.ts";
import { png } from "../support/pngs.ts";
import { sayId } from "../support/say.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { type TestBot, testBot } from "../support/telegram.ts";

/** Clients from npm, unmodified: only the root of their addresses is set (protocol §15). */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const CHAT = -1_000_000_000_001;

/** The calls that the test makes with each of the clients. */
interface Driver {
  /** Sends and returns the message's id. */
  send(text: string, replyTo?: number): Promise<number>;
  edit(messageId: number, text: string): Promise<unknown>;
  remove(messageId: number): Promise<unknown>;
  /** null: the client cannot upload on Bun, whose `fetch` does not read the stream that it makes. */
  photo: ((bytes: Uint8Array<ArrayBuffer>) => Promise<number>) | null;
  typing(): Promise<unknown>;
  /** Returns the bytes' address of a file. */
  file(fileId: string): Promise<string>;
  me(): Promise<{ username?: string | undefined }>;
  stop(): Promise<unknown>;
}

/** The messages that a client received. */
interface Received {
  message_id: number;
  text?: string | undefined;
  caption?: string | undefined;
  chat: { id: number; type: string };
  message_thread_id?: number | undefined;
  photo?: { file_id: string }[] | undefined;
}

type Start = (bot: TestBot, onMessage: (message: Received) => void) => Promise<Driver>;

const withGrammy: Start = async ({ token, apiRoot }, onMessage) => {
  const bot = new Bot(token, { client: { apiRoot } });
  bot.on("message", ({ message }) => onMessage(message as Received));
  const running = bot.start();
  const { api } = bot;
  return {
    async send(text, replyTo) {
      const more = replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo } };
      return (await api.sendMessage(CHAT, text, more)).message_id;
    },
    edit: (id, text) => api.editMessageText(CHAT, id, text),
    remove: (id) => api.deleteMessage(CHAT, id),
    photo: async (bytes) => (await api.sendPhoto(CHAT, new InputFile(bytes, "a.png"))).message_id,
    typing: () => api.sendChatAction(CHAT, "typing"),
    file: async (id) => `${apiRoot}/file/bot${token}/${(await api.getFile(id)).file_path}`,
    me: () => api.getMe(),
    async stop() {
      await bot.stop();
      await running;
    },
  };
};

const withTelegraf: Start = async ({ token, apiRoot }, onMessage) => {
  // Telegraf joins its addresses to the root, so that the root needs a final slash.
  const bot = new Telegraf(token, { telegram: { apiRoot: `${apiRoot}/` } });
  bot.on("message", ({ message }) => onMessage(message as Received));
  const running = bot.launch();
  const { telegram } = bot;
  return {
    async send(text, replyTo) {
      const more = replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo } };
      return (await telegram.sendMessage(CHAT, text, more)).message_id;
    },
    edit: (id, text) => telegram.editMessageText(CHAT, id, undefined, text),
    remove: (id) => telegram.deleteMessage(CHAT, id),
    photo: null,
    typing: () => telegram.sendChatAction(CHAT, "typing"),
    file: async (id) => String(await telegram.getFileLink(id)),
    me: () => telegram.getMe(),
    async stop() {
      await eventually("Telegraf polls", () => bot.botInfo !== undefined);
      bot.stop();
      // On Bun, Telegraf fails while it hides its token in the error of the call that it aborts.
      await running.catch((error: unknown) => expect(String(error)).toContain("readonly property"));
    },
  };
};

const withNodeTelegramBotApi: Start = async ({ token, apiRoot }, onMessage) => {
  const bot = new NtbaBot(token, { apiRoot });
  bot.on("message", ({ message }) => onMessage(message as Received));
  const running = bot.startPolling();
  const { api } = bot;
  return {
    async send(text, replyTo) {
      const more = replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo } };
      return (await api.sendMessage({ chat_id: CHAT, text, ...more })).message_id;
    },
    edit: (message_id, text) => api.editMessageText({ chat_id: CHAT, message_id, text }),
    remove: (message_id) => api.deleteMessage({ chat_id: CHAT, message_id }),
    async photo(bytes) {
      const photo = new NtbaFile(bytes, { filename: "a.png", contentType: "image/png" });
      return (await api.sendPhoto({ chat_id: CHAT, photo })).message_id;
    },
    typing: () => api.sendChatAction({ chat_id: CHAT, action: "typing" }),
    file: async (file_id) => `${apiRoot}/file/bot${token}/${(await api.getFile({ file_id })).file_path}`,
    me: () => api.getMe(),
    async stop() {
      bot.stop();
      await running;
    },
  };
};

describe.each([
  ["grammY", withGrammy],
  ["Telegraf", withTelegraf],
  ["node-telegram-bot-api", withNodeTelegramBotApi],
] as const)("with %s", (kind, start) => {
  const name = `Bot-${kind}`;
  const received: Received[] = [];
  let driver: Driver;
  let bot: TestBot;
  const next = (what: string, is: (message: Received) => boolean) => eventually(what, () => received.find(is));
  const record = async (id: number) => (await ann.get(`/api/messages?channel_slug=general&ids=${id}`)).body.messages[0];
  afterAll(() => driver.stop());

  test("a bot starts and knows itself", async () => {
    bot = await testBot(server, name);
    driver = await start(bot, (message) => received.push(message));
    expect((await driver.me()).username).toBe(name.replaceAll("-", "_"));
  });

  test("it gets a mention, and its answer, edit and deletion are seen", async () => {
    const id = await sayId(ann, "general", `@${name} hello`);
    const message = await next("the mention", ({ message_id }) => message_id === id);
    expect(message).toMatchObject({
      text: `@${name.replaceAll("-", "_")} hello`,
      chat: { id: CHAT, type: "supergroup" },
    });
    const answer = await driver.send("1 < 2 *", id);
    expect(await record(answer)).toMatchObject({ reply_to_id: id, agent_name: name, content: "1 < 2 \\*" });
    await driver.edit(answer, "changed");
    expect((await record(answer)).content).toBe("changed");
    await driver.remove(answer);
    expect((await record(answer)).is_deleted).toBe(true);
    await driver.typing();
  });

  test("it gets messages of threads and of a direct conversation", async () => {
    const root = await sayId(ann, "general", "a thread");
    const inThread = await sayId(ann, "general", `@${name} there`, { thread_root_id: root });
    const message = await next("the message in the thread", ({ message_id }) => message_id === inThread);
    expect(message.message_thread_id).toBe(root);
    await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", bot.agentId).execute();
    const someone = await server.newUser();
    const { channel } = (await someone.post("/api/direct", { agent_name: name })).body;
    const id = await sayId(someone, channel.id, "psst");
    expect((await next("the direct message", ({ message_id }) => message_id === id)).chat.type).toBe("private");
  });

  test("it sends and receives photos", async () => {
    const sent = await driver.photo?.(new Uint8Array(png(5, 4)));
    if (sent !== undefined)
      expect((await record(sent)).files[0]).toMatchObject({ mime_type: "image/png", width: 5, height: 4 });
    const form = new FormData();
    form.set("file", new Blob([png(6, 6)]), "six.png");
    const { file } = (await ann.send("POST", "/api/files", { raw: form })).body;
    const id = await sayId(ann, "general", `@${name} look`, { file_ids: [file.file_id] });
    const { photo } = await next("the photo", ({ message_id }) => message_id === id);
    const response = await fetch(await driver.file(photo?.at(-1)?.file_id ?? ""));
    expect([response.status, (await response.bytes()).length]).toEqual([200, file.size_bytes]);
  });

  test("after a restart it gets what it has not confirmed, and nothing twice", async () => {
    await eventually("everything is confirmed", async () => {
      const { items } = (await fetchInbox(bot)) as { items: unknown[] };
      return items.length === 0;
    });
    await driver.stop();
    received.length = 0;
    const id = await sayId(ann, "general", `@${name} are you there?`);
    driver = await start(bot, (message) => received.push(message));
    await next("the mention", ({ message_id }) => message_id === id);
    const later = await sayId(ann, "general", `@${name} good`);
    await next("the next mention", ({ message_id }) => message_id === later);
    expect(received.map(({ message_id }) => message_id)).toEqual([id, later]);
  });
});

const fetchInbox = async ({ apiKey }: TestBot): Promise<unknown> =>
  (await fetch(`${server.url}/api/agenthub/inbox`, { headers: { authorization: `Bearer ${apiKey}` } })).json();
