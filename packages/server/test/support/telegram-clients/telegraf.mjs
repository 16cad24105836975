// Telegraf, on Node: on Bun its uploads hang, because Bun's `fetch` does not read the stream that they are.
import { Markup, Telegraf } from "telegraf";
import { receive, serve, sizeAt, write } from "./lines.mjs";

// Telegraf joins its addresses to the root, so that the root needs a final slash.
const bot = new Telegraf(process.env.TOKEN, { telegram: { apiRoot: `${process.env.API_ROOT}/` } });
const { telegram } = bot;
bot.on("callback_query", (context) => context.answerCbQuery(`Got ${context.callbackQuery.data}`));
bot.on("message", ({ message }) => receive(message));
const running = bot.launch().catch((error) => write({ conflict: String(error) }));
await serve(
  {
    me: async () => (await telegram.getMe()).username,
    send: async ({ chat, text, reply_to }) =>
      (await telegram.sendMessage(chat, text, reply_to === 0 ? {} : { reply_parameters: { message_id: reply_to } }))
        .message_id,
    edit: ({ chat, message_id, text }) => telegram.editMessageText(chat, message_id, undefined, text),
    remove: ({ chat, message_id }) => telegram.deleteMessage(chat, message_id),
    photo: async ({ chat, path }) => (await telegram.sendPhoto(chat, { source: path })).message_id,
    keyboard: async ({ chat }) =>
      (await telegram.sendMessage(chat, "Ready?", Markup.inlineKeyboard([Markup.button.callback("Go", "go")])))
        .message_id,
    typing: ({ chat }) => telegram.sendChatAction(chat, "typing"),
    size: async ({ file_id }) => sizeAt(await telegram.getFileLink(file_id)),
  },
  (error) => error.parameters?.retry_after,
);
try {
  bot.stop();
} catch {
  // It has ended by itself.
}
await running;
