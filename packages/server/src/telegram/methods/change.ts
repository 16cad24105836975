import { isDeepStrictEqual } from "node:util";
import type { Components } from "@parley/protocol/cards";
import type { ChatMessage } from "@parley/protocol/models";
import type { Channel } from "../../channels/channel.ts";
import { AppError } from "../../errors.ts";
import { assertScope, hasScope } from "../../http/key-scopes.ts";
import { reactionsOfCaller } from "../../reactions/reactions.service.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { chatOf } from "../chats.ts";
import { findMessage, telegramMessage } from "../messages.ts";
import { editedMenu, menuOfMessage } from "../reply-markup.ts";
import { badRequest } from "../telegram-error.ts";
import { sentCaption, sentText } from "../text/sent-text.ts";
import { richText } from "./send.ts";

const SAME =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
const MESSAGES_MAX = 100;

export const editMessageText: Method = (call) =>
  edit(call, () => (call.fields.raw("rich_message") === undefined ? sentText(call) : richText(call)));

export const editMessageCaption: Method = (call) => edit(call, () => sentCaption(call));

async function edit(call: TelegramCall, read: () => string | Promise<string>): Promise<unknown> {
  if (call.fields.text("inline_message_id") !== undefined) throw badRequest("inline messages are not available");
  const { channel, message } = await messageOf(call, "message to edit not found");
  const [content, menu] = [await read(), editedMenu(call.fields)];
  if (content === message.content && isSameMenu(message, menu)) throw badRequest(SAME);
  const body = await rest(call, "editTelegramMessage", { params: { messageId: message.id }, body: { content, menu } });
  return edited(call, channel, body);
}

/** editMessageReplyMarkup: the buttons become these; without any they go. */
export const editMessageReplyMarkup: Method = async (call) => {
  if (call.fields.text("inline_message_id") !== undefined) throw badRequest("inline messages are not available");
  const { channel, message } = await messageOf(call, "message to edit not found");
  const menu = editedMenu(call.fields);
  if (isSameMenu(message, menu)) throw badRequest(SAME);
  return edited(
    call,
    channel,
    await rest(call, "editTelegramMenu", { params: { messageId: message.id }, body: { menu } }),
  );
};

const edited = (call: TelegramCall, channel: Channel, { chat_message }: Record<string, unknown>): Promise<unknown> =>
  telegramMessage(call.ctx, {
    message: chat_message as ChatMessage,
    channel,
    hidesReply: !hasScope(call.caller, "read"),
  });

const isSameMenu = (message: ChatMessage, menu: Components | null): boolean =>
  isDeepStrictEqual(menuOfMessage(message), menu);

/** Returns the message that a call names. Errors: 400, with `missing` if there is no such message in the chat. */
async function messageOf(call: TelegramCall, missing: string): Promise<{ channel: Channel; message: ChatMessage }> {
  const channel = await chatOf(call);
  const message = await findMessage(call.ctx, channel, call.fields.integer("message_id") ?? 0);
  if (message === null) throw badRequest(missing);
  return { channel, message };
}

export const deleteMessage: Method = async (call) => {
  const { message } = await messageOf(call, "message to delete not found");
  await rest(call, "deleteMessage", { params: { messageId: message.id } });
  return true;
};

/** deleteMessages: those that do not exist, or are others', are skipped, as Telegram does. */
export const deleteMessages: Method = async (call) => {
  const channel = await chatOf(call);
  const ids = call.fields.object("message_ids");
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MESSAGES_MAX)
    throw badRequest("message identifiers are not specified");
  for (const id of ids.map(Number)) {
    const message = Number.isSafeInteger(id) ? await findMessage(call.ctx, channel, id) : null;
    if (message === null) continue;
    await rest(call, "deleteMessage", { params: { messageId: message.id } }).catch(skipForbidden);
  }
  return true;
};

function skipForbidden(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== "forbidden") throw error;
}

/** setMessageReaction: the bot's reactions become these. */
export const setMessageReaction: Method = async (call) => {
  assertScope(call.caller, "react");
  const { message } = await messageOf(call, "message to react not found");
  const wanted = new Set(reactionsOf(call));
  const own = await reactionsOfCaller(call.ctx, call.caller, message.id);
  for (const reaction of own)
    if (!wanted.has(reaction)) await rest(call, "unreact", { params: { messageId: message.id, reaction } });
  for (const reaction of wanted)
    if (!own.includes(reaction)) await rest(call, "react", { params: { messageId: message.id, reaction } });
  return true;
};

const REACTIONS_MAX = 11;

function reactionsOf({ fields }: TelegramCall): string[] {
  const given = fields.object("reaction") ?? [];
  if (!Array.isArray(given) || given.length > REACTIONS_MAX) throw badRequest("REACTION_INVALID");
  return given.map((reaction: unknown) => {
    const emoji =
      reaction !== null && typeof reaction === "object" ? (reaction as { emoji?: unknown }).emoji : undefined;
    if (typeof emoji !== "string" || emoji === "") throw badRequest("REACTION_INVALID");
    return emoji;
  });
}

/** createForumTopic: a message with the name in bold, which begins a thread. */
export const createForumTopic: Method = async (call) => {
  const channel = await chatOf(call);
  const name = topicName(call);
  const body = await rest(call, "sendTelegramMessage", {
    body: { channel_slug: channel.slug, agent_name: call.bot.name, message: bold(name) },
  });
  return { message_thread_id: body.message_id, name, icon_color: 7_322_096 };
};

export const editForumTopic: Method = async (call) => {
  const { messageId } = await topicOf(call);
  await rest(call, "editTelegramMessage", { params: { messageId }, body: { content: bold(topicName(call)) } });
  return true;
};

export const deleteForumTopic: Method = async (call) => {
  const { messageId } = await topicOf(call);
  await rest(call, "deleteMessage", { params: { messageId } });
  return true;
};

/** closeForumTopic and reopenForumTopic: only moderators lock threads, and no bot is one. */
export const refuseLock: Method = async (call) => {
  await topicOf(call);
  throw badRequest("not enough rights to edit the topic");
};

async function topicOf(call: TelegramCall): Promise<{ messageId: number }> {
  const channel = await chatOf(call);
  const message = await findMessage(call.ctx, channel, call.fields.integer("message_thread_id") ?? 0);
  if (message === null) throw badRequest("message thread not found");
  return { messageId: message.id };
}

function topicName({ fields }: TelegramCall): string {
  const name = fields.text("name")?.trim() ?? "";
  if (name === "" || name.length > 128) throw badRequest("TOPIC_NAME_INVALID");
  return name;
}

const bold = (name: string): string => `**${name.replace(/[\\`*_~[\]<>]/g, "\\$&")}**`;
