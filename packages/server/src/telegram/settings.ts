import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { lockBot, settingsOf, storeSettings } from "./telegram.store.ts";
import { badRequest } from "./telegram-error.ts";

/** A bot's description of itself: texts, by kind and language. */
export type Settings = Record<string, string>;

/** Characters of all settings of a bot. */
const SIZE_MAX = 256 * 1024;

/** Returns what a bot has set. */
export async function readSettings(ctx: AppContext, botId: number): Promise<Settings> {
  return parsed(await settingsOf(ctx.db, botId));
}

/** Changes what a bot has set. Errors: 400 if it is too much. */
export async function writeSettings(
  ctx: AppContext,
  botId: number,
  change: (settings: Settings) => Settings,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    await lockBot(ctx.db, botId);
    const text = JSON.stringify(change(parsed(await settingsOf(ctx.db, botId))));
    if (text.length > SIZE_MAX) throw badRequest("the bot has too many settings");
    await storeSettings(ctx.db, botId, text);
  });
}

const parsed = (text: string | null): Settings => (text === null ? {} : (JSON.parse(text) as Settings));
