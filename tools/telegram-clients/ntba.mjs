// node-telegram-bot-api 0.66, the line of releases that most bots still use.
import TelegramBot from "node-telegram-bot-api";
import { receive, serve, sizeAt, write } from "../../packages/server/test/support/telegram-clients/lines.mjs";

const bot = new TelegramBot(process.env.TOKEN, { baseApiUrl: process.env.API_ROOT, polling: { interval: 50 } });
bot.on("message", receive);
bot.on("callback_query", ({ id, data }) => bot.answerCallbackQuery(id, { text: `Got ${data}` }));
bot.on("polling_error", (error) => {
  if (String(error).includes("409")) write({ conflict: String(error) });
});
await serve(
  {
    me: async () => (await bot.getMe()).username,
    send: async ({ chat, text, reply_to }) =>
      (await bot.sendMessage(chat, text, reply_to === 0 ? {} : { reply_to_message_id: reply_to })).message_id,
    edit: ({ chat, message_id, text }) => bot.editMessageText(text, { chat_id: chat, message_id }),
    remove: ({ chat, message_id }) => bot.deleteMessage(chat, message_id),
    photo: async ({ chat, path }) =>
      (await bot.sendPhoto(chat, path, {}, { filename: "a.png", contentType: "image/png" })).message_id,
    keyboard: async ({ chat }) => {
      const reply_markup = { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] };
      return (await bot.sendMessage(chat, "Ready?", { reply_markup })).message_id;
    },
    typing: ({ chat }) => bot.sendChatAction(chat, "typing"),
    size: async ({ file_id }) => sizeAt(await bot.getFileLink(file_id)),
  },
  (error) => error.response?.body?.parameters?.retry_after,
);
await bot.stopPolling({ cancel: true });
