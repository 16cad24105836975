import { fail } from "../../errors.ts";
import { assertScope } from "../../http/key-scopes.ts";
import type { Method, TelegramCall } from "../call.ts";
import { chatOf } from "../chats.ts";
import { findMessage, type TelegramMessage, telegramMessage } from "../messages.ts";
import { refusalOf } from "../refusals.ts";
import { send } from "./send.ts";

/** Sends the text of a message again. Errors: those of the route `copyTelegramMessage`. */
async function copied(call: TelegramCall, method: "copymessage" | "forwardmessage"): Promise<TelegramMessage> {
  assertScope(call.caller, "read");
  const channel = await chatOf(call);
  const from = await chatOf(call, "from_chat_id");
  const source = await findMessage(call.ctx, from, call.fields.integer("message_id") ?? 0);
  if (source === null) throw refusalOf(fail("message_not_found"), method);
  const copied = { source_message_id: source.id, names_source: method === "forwardmessage" };
  return telegramMessage(call.ctx, await send(call, channel, { content: "", copied }));
}

export const copyMessage: Method = async (call) => ({ message_id: (await copied(call, "copymessage")).message_id });

/** forwardMessage names the source in the first line. */
export const forwardMessage: Method = (call) => copied(call, "forwardmessage");
