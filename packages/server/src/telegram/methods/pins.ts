import type { ChatMessage } from "@parley/protocol/models";
import { AppError } from "../../errors.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { type Method, rest, type TelegramCall } from "../call.ts";
import { chatOf } from "../chats.ts";
import { findMessage } from "../messages.ts";
import { badRequest } from "../telegram-error.ts";

/** pinChatMessage: the bot pins under its own name. */
export const pinChatMessage: Method = async (call) => {
  const channel = await chatOf(call);
  const message = await findMessage(call.ctx, channel, call.fields.integer("message_id") ?? 0);
  if (message === null) throw badRequest("message to pin not found");
  await rest(call, "pinMessage", { params: { messageId: message.id }, body: { agent_name: call.bot.name } });
  return true;
};

/** unpinChatMessage: the message, or the newest pin without one. */
export const unpinChatMessage: Method = async (call) => {
  assertScope(call.caller, "send");
  const channel = await chatOf(call);
  const given = call.fields.integer("message_id");
  const message =
    given === undefined ? (await pinsOf(call, channel.id))[0] : await findMessage(call.ctx, channel, given);
  if (message == null) throw badRequest("message to unpin not found");
  await unpin(call, message.id);
  return true;
};

/** unpinAllChatMessages: also what is pinned meanwhile; what others unpin or delete meanwhile is no error. */
export const unpinAllChatMessages: Method = async (call) => {
  assertScope(call.caller, "send");
  const channel = await chatOf(call);
  for (const { id } of await pinsOf(call, channel.id)) await unpin(call, id).catch(skipGone);
  return true;
};

function skipGone(error: unknown): void {
  if (!(error instanceof AppError) || (error.code !== "message_deleted" && error.code !== "message_not_found"))
    throw error;
}

const unpin = (call: TelegramCall, messageId: number) => rest(call, "unpinMessage", { params: { messageId } });

/** Returns the pinned messages of a channel, newest pin first. */
async function pinsOf(call: TelegramCall, channelId: number): Promise<ChatMessage[]> {
  const { messages } = await rest(call, "listPins", { params: { channel_id: channelId } });
  return messages as ChatMessage[];
}
