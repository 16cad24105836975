import { nameKey } from "../accounts/names/names.ts";
import type { CommandBook } from "../agents/kinds/commands.ts";
import { botOf } from "./bots.ts";
import { channelChatId } from "./ids.ts";
import { readSettings } from "./settings.ts";
import { findNames } from "./telegram.store.ts";

/** Scopes of `setMyCommands` that no channel has. */
const ELSEWHERE = "all_private_chats";

/** The commands that bots have set by `setMyCommands`, and their numbers. */
export const telegramCommands: CommandBook = {
  async declarers(ctx, { id }, command, among) {
    // In the caller's transaction.
    const holders = new Map((await findNames(ctx.db, among.map(nameKey))).map((row) => [row.name_key, row]));
    const found: string[] = [];
    for (const name of among) {
      const botId = holders.get(nameKey(name))?.bot_id ?? null;
      const settings = botId === null ? {} : await readSettings(ctx, botId);
      const lists = Object.entries(settings).flatMap(([key, list]) => {
        const [kind, scope = "", chat = ""] = key.split(" ");
        const isHere =
          kind === "commands" && scope !== ELSEWHERE && (chat === "" || chat === String(channelChatId(id)));
        return isHere && typeof list !== "string" ? list : [];
      });
      if (lists.some((each) => each.command === command)) found.push(name);
    }
    return found;
  },
  async nameOfBot(ctx, id) {
    return (await botOf(ctx, id))?.name ?? null;
  },
};
