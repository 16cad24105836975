import { type AgentCommand, COMMAND_DESCRIPTION_MAX, COMMANDS_MAX } from "@parley/protocol/agent-commands";
import type { ListPlace } from "../../agents/commands/command-lists.ts";
import { declaredList, declareList } from "../../agents/commands/commands.service.ts";
import { isBlank, oneLine } from "../../base/visible-text.ts";
import { assertScope, channelsInScope } from "../../http/key-scopes.ts";
import type { Method, TelegramCall } from "../call.ts";
import { channelOfId } from "../chats.ts";
import { badRequest, TelegramError } from "../telegram-error.ts";

const COMMAND = /^[a-z0-9_]{1,32}$/;
const LANGUAGE = /^(?:[a-z]{2})?$/;

/** setMyCommands: the page shows the commands to whom they apply (protocol §5). */
export const setMyCommands: Method = async (call) => {
  const commands = commandsOf(call.fields.object("commands"));
  await declare(call, await placeOf(call), commands);
  return true;
};

/** getMyCommands: those of exactly this scope and language. */
export const getMyCommands: Method = async (call) => declaredList(call.ctx, call.bot.name, await placeOf(call));

export const deleteMyCommands: Method = async (call) => {
  await declare(call, await placeOf(call), []);
  return true;
};

async function declare(
  { ctx, caller, bot }: TelegramCall,
  place: ListPlace,
  commands: readonly AgentCommand[],
): Promise<void> {
  assertScope(caller, "send");
  if (place.channelId === 0 && channelsInScope(caller) !== null)
    throw new TelegramError(403, "Forbidden: this key is limited to some chats: use the scope of one of them");
  await declareList(ctx, caller, { ...place, agentName: bot.name, commands });
}

/** Returns the commands of a list, each name once. Errors: 400, in the words of the Bot API. */
function commandsOf(given: unknown): AgentCommand[] {
  if (!Array.isArray(given)) throw badRequest("can't parse commands: expected an Array");
  if (given.length > COMMANDS_MAX) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  const commands = new Map<string, AgentCommand>();
  for (const item of given as unknown[]) {
    const { command, description } = (item ?? {}) as { command?: unknown; description?: unknown };
    const name = typeof command === "string" ? command.replace(/^\//, "").toLowerCase() : "";
    if (!COMMAND.test(name)) throw badRequest("BOT_COMMAND_INVALID");
    const text = typeof description === "string" ? oneLine(description) : "";
    if (isBlank(text) || [...text].length > COMMAND_DESCRIPTION_MAX)
      throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    if (!commands.has(name)) commands.set(name, { command: name, description: text });
  }
  return [...commands.values()];
}

/** Returns the place that `scope` and `language_code` name. Errors: 400. */
async function placeOf(call: TelegramCall): Promise<ListPlace> {
  const given = call.fields.object("scope") ?? {};
  const language = call.fields.text("language_code") ?? "";
  if (!LANGUAGE.test(language)) throw badRequest("invalid language code specified");
  if (given === null || typeof given !== "object") throw badRequest("can't parse BotCommandScope");
  const { type = "default", chat_id } = given as Record<string, unknown>;
  switch (type) {
    case "default":
    case "all_private_chats":
    case "all_group_chats":
    case "all_chat_administrators":
      return { scope: type, channelId: 0, language };
    case "chat":
    case "chat_administrators": {
      if (typeof chat_id !== "string" && typeof chat_id !== "number") throw badRequest("chat_id is empty");
      const channel = await channelOfId(call, chat_id);
      return { scope: type, channelId: channel.id, language };
    }
    case "chat_member":
      throw badRequest("can't parse BotCommandScope: chat_member is not available on this server");
    default:
      throw badRequest("can't parse BotCommandScope");
  }
}
