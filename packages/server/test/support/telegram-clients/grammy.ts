import { Bot, GrammyError, InputFile } from "grammy";
import { type Received, RefusedCall, type StartClient } from "../telegram-client.ts";

/** A message as the Bot API has it. */
export interface Raw {
  message_id: number;
  text?: string | undefined;
  caption?: string | undefined;
  chat: { type: string };
  message_thread_id?: number | undefined;
  photo?: { file_id: string }[] | undefined;
}
export const shown = ({ message_id, text, caption, chat, message_thread_id: thread, photo }: Raw): Received => ({
  message_id,
  text,
  caption,
  chat_type: chat.type,
  thread,
  photo: photo?.at(-1)?.file_id,
});
export const KEYBOARD = { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] };
export const replyTo = (id?: number) => (id === undefined ? {} : { reply_parameters: { message_id: id } });
export const sizeAt = async (url: string) => (await (await fetch(url)).bytes()).length;

/** grammY, unmodified. */
export const grammy: StartClient = async ({ token, apiRoot }, onMessage) => {
  const bot = new Bot(token, { client: { apiRoot } });
  bot.on("message", ({ message }) => onMessage(shown(message)));
  bot.on("callback_query:data", (context) => context.answerCallbackQuery(`Got ${context.callbackQuery.data}`));
  const conflict = Promise.withResolvers<string>();
  const running = bot.start().catch((error: unknown) => conflict.resolve(String(error)));
  const { api } = bot;
  const refused = (error: unknown): never => {
    throw error instanceof GrammyError ? new RefusedCall(error.message, error.parameters.retry_after) : error;
  };
  return {
    send: async (chat, text, id) => (await api.sendMessage(chat, text, replyTo(id)).catch(refused)).message_id,
    edit: (chat, id, text) => api.editMessageText(chat, id, text),
    remove: (chat, id) => api.deleteMessage(chat, id),
    photo: async (chat, bytes) => (await api.sendPhoto(chat, new InputFile(bytes, "a.png"))).message_id,
    keyboard: async (chat) => (await api.sendMessage(chat, "Ready?", { reply_markup: KEYBOARD })).message_id,
    typing: (chat) => api.sendChatAction(chat, "typing"),
    size: async (id) => sizeAt(`${apiRoot}/file/bot${token}/${(await api.getFile(id)).file_path}`),
    me: async () => (await api.getMe()).username,
    conflict: conflict.promise,
    async stop() {
      await bot.stop();
      await running;
    },
  };
};
