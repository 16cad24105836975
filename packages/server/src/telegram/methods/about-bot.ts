import { botUser } from "../bots.ts";
import type { Method, TelegramCall } from "../call.ts";
import { readSettings, type Settings, writeSettings } from "../settings.ts";
import { badRequest } from "../telegram-error.ts";
import { privateOf } from "../update-kinds.store.ts";

const COMMANDS_MAX = 100;
const COMMAND = /^[a-z0-9_]{1,32}$/;
const DESCRIPTION_MAX = 256;

export const getMe: Method = async ({ ctx, bot }) => ({
  ...botUser(bot),
  can_join_groups: true,
  can_read_all_group_messages: !(await privateOf(ctx.db, bot.agentId)),
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
});

/** logOut and close: the server holds nothing that they would end. */
export const done: Method = async () => true;

/** setMyCommands: kept by scope and language, as getMyCommands returns them. */
export const setMyCommands: Method = async (call) => {
  const commands = commandsOf(call.fields.object("commands"));
  return change(call, scopeOf(call), commands);
};

export const getMyCommands: Method = async (call) => (await readSettings(call.ctx, call.bot.id))[scopeOf(call)] ?? [];

export const deleteMyCommands: Method = (call) => change(call, scopeOf(call), undefined);

function commandsOf(given: unknown): { command: string; description: string }[] {
  if (!Array.isArray(given)) throw badRequest("can't parse commands: expected an Array");
  if (given.length > COMMANDS_MAX) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  return given.map((item: unknown) => {
    const { command, description } = (item ?? {}) as { command?: unknown; description?: unknown };
    const name = typeof command === "string" ? command.replace(/^\//, "").toLowerCase() : "";
    if (!COMMAND.test(name)) throw badRequest("BOT_COMMAND_INVALID");
    if (typeof description !== "string" || description.trim() === "" || description.length > DESCRIPTION_MAX)
      throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    return { command: name, description };
  });
}

const SCOPES = /^[a-z_]{1,40}$/;

/** The key of commands: their scope, with its chat and user, and their language. */
function scopeOf({ fields }: TelegramCall): string {
  const given = fields.object("scope") ?? {};
  if (given === null || typeof given !== "object") throw badRequest("can't parse BotCommandScope");
  const { type = "default", chat_id = "", user_id = "" } = given as Record<string, unknown>;
  if (typeof type !== "string" || !SCOPES.test(type)) throw badRequest("can't parse BotCommandScope");
  return `commands ${type} ${String(chat_id).slice(0, 32)} ${String(user_id).slice(0, 32)} ${languageOf(fields)}`;
}

const languageOf = (fields: TelegramCall["fields"]): string => (fields.text("language_code") ?? "").slice(0, 8);

/** A text about the bot, such as its description: set and read by language. */
export const setText =
  (field: string, max: number): Method =>
  async (call) => {
    const text = call.fields.text(field) ?? "";
    if (text.length > max) throw badRequest(`${field} is too long`);
    return change(call, `${field} ${languageOf(call.fields)}`, text === "" ? undefined : text);
  };

export const getText =
  (field: string): Method =>
  async (call) => {
    const settings = await readSettings(call.ctx, call.bot.id);
    const found = settings[`${field} ${languageOf(call.fields)}`] ?? settings[`${field} `];
    return { [field]: found ?? (field === "name" ? call.bot.name : "") };
  };

/** getChatMenuButton: the list of commands is the only button. */
export const getChatMenuButton: Method = async () => ({ type: "commands" });

async function change({ ctx, bot }: TelegramCall, key: string, value: Settings[string] | undefined): Promise<true> {
  await writeSettings(ctx, bot.id, (settings) => {
    const { [key]: _, ...others } = settings;
    return value === undefined ? others : { ...others, [key]: value };
  });
  return true;
}
