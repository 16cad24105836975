// Vercel's Chat SDK with its adapter for Telegram.
import { readFile } from "node:fs/promises";
import { createMemoryState } from "@chat-adapter/state-memory";
import { createTelegramAdapter } from "@chat-adapter/telegram";
import { Actions, Button, Card, Chat } from "chat";
import { receive, serve, write } from "../../packages/server/test/support/telegram-clients/lines.mjs";

const quiet = () => {};
const logger = {
  debug: quiet,
  info: quiet,
  error: quiet,
  warn(_, { error } = {}) {
    if (String(error).includes("getUpdates")) write({ conflict: String(error) });
  },
  child: () => logger,
};
const telegram = createTelegramAdapter({
  mode: "polling",
  botToken: process.env.TOKEN,
  apiUrl: process.env.API_ROOT,
  logger,
});
const files = new Map();
const bot = new Chat({ userName: "bot", adapters: { telegram }, state: createMemoryState(), logger });
bot.onNewMention(async (_, message) => {
  for (const { fetchData } of message.attachments ?? []) files.set(message.raw.photo?.at(-1)?.file_id, fetchData);
  receive(message.raw);
});
bot.onAction("go", quiet);
await bot.initialize();
const place = (chat) => telegram.encodeThreadId({ chatId: String(chat) });
const idOf = ({ id }) => Number(String(id).split(":").at(-1));
await serve(
  {
    me: async () => telegram.userName,
    send: async ({ chat, text, reply_to }) =>
      idOf(await telegram.postMessage(place(chat), text, reply_to === 0 ? undefined : `${chat}:${reply_to}`)),
    edit: ({ chat, message_id, text }) => telegram.editMessage(place(chat), `${chat}:${message_id}`, text),
    remove: ({ chat, message_id }) => telegram.deleteMessage(place(chat), `${chat}:${message_id}`),
    photo: async ({ chat, path }) =>
      idOf(
        await telegram.postMessage(place(chat), {
          raw: "",
          files: [{ filename: "a.png", mimeType: "image/png", data: await readFile(path) }],
        }),
      ),
    keyboard: async ({ chat }) => {
      const card = Card({ title: "Ready?", children: [Actions([Button({ id: "go", label: "Go", value: "go" })])] });
      return idOf(await telegram.postMessage(place(chat), { card }));
    },
    typing: ({ chat }) => telegram.startTyping(place(chat)),
    size: async ({ file_id }) => (await files.get(file_id)()).byteLength,
  },
  ({ retryAfter }) => retryAfter,
);
await telegram.stopPolling();
process.exit();
