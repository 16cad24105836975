import { botUser } from "../bots.ts";
import type { Method, TelegramCall } from "../call.ts";
import { readSettings, type Settings, writeSettings } from "../settings.ts";
import { badRequest } from "../telegram-error.ts";
import { privateOf } from "../update-kinds.store.ts";

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
