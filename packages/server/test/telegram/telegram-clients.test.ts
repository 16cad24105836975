import { join } from "node:path";
import { Bot as NtbaBot, InputFile as NtbaFile } from "node-telegram-bot-api";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { inProgram, type StartClient } from "../support/telegram-client.ts";
import { testClient } from "../support/telegram-client-suite.ts";
import { grammy, KEYBOARD, type Raw, replyTo, shown, sizeAt } from "../support/telegram-clients/grammy.ts";

/** Clients from npm, unmodified: only the root of their addresses is set (protocol §15). */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");

const nodeTelegramBotApi: StartClient = async ({ token, apiRoot }, onMessage) => {
  const bot = new NtbaBot(token, { apiRoot });
  const { api } = bot;
  bot.on("message", ({ message }) => onMessage(shown(message as Raw)));
  bot.on("callback_query", async ({ callbackQuery }) => {
    await api.answerCallbackQuery({ callback_query_id: callbackQuery?.id ?? "", text: `Got ${callbackQuery?.data}` });
  });
  const conflict = Promise.withResolvers<string>();
  const running = bot.startPolling().catch((error: unknown) => conflict.resolve(String(error)));
  return {
    waitsItself: true,
    send: async (chat_id, text, id) => (await api.sendMessage({ chat_id, text, ...replyTo(id) })).message_id,
    edit: (chat_id, message_id, text) => api.editMessageText({ chat_id, message_id, text }),
    remove: (chat_id, message_id) => api.deleteMessage({ chat_id, message_id }),
    async photo(chat_id, bytes) {
      const photo = new NtbaFile(bytes, { filename: "a.png", contentType: "image/png" });
      return (await api.sendPhoto({ chat_id, photo })).message_id;
    },
    keyboard: async (chat_id) =>
      (await api.sendMessage({ chat_id, text: "Ready?", reply_markup: KEYBOARD })).message_id,
    typing: (chat_id) => api.sendChatAction({ chat_id, action: "typing" }),
    size: async (file_id) => sizeAt(`${apiRoot}/file/bot${token}/${(await api.getFile({ file_id })).file_path}`),
    me: async () => (await api.getMe()).username ?? "",
    conflict: conflict.promise,
    async stop() {
      bot.stop();
      await running;
    },
  };
};

testClient("grammY", grammy, server, ann);
testClient("node-telegram-bot-api", nodeTelegramBotApi, server, ann);
testClient(
  "Telegraf",
  inProgram(["node", join(import.meta.dir, "../support/telegram-clients/telegraf.mjs")]),
  server,
  ann,
);
