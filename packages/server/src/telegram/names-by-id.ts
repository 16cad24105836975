import { membership } from "../channels/channel-cache.ts";
import { botOf } from "./bots.ts";
import type { TelegramCall } from "./call.ts";
import { chatOf } from "./chats.ts";
import { subjectOf } from "./ids.ts";
import { placeOfBot, usernameById } from "./telegram.store.ts";
import type { Formatted } from "./text/formatted.ts";
import { mentionedId } from "./text/text-mentions.ts";

/** People and bots of a text who are looked up by their ids. */
const LOOKED_UP_MAX = 20;

/**
 * Returns the names of those whom a text mentions by `user.id`, by that id (protocol §15.4). Not in it: who is not in the
 * chat of the call.
 */
export async function namesById(call: TelegramCall, { entities }: Formatted): Promise<Map<string, string>> {
  const ids = new Set(entities.flatMap((entity) => mentionedId(entity, entities) ?? []));
  const names = new Map<string, string>();
  if (ids.size === 0) return names;
  const { id: channelId } = await chatOf(call);
  for (const id of [...ids].slice(0, LOOKED_UP_MAX)) {
    const name = await nameIn(call, channelId, id);
    if (name !== null) names.set(id, name);
  }
  return names;
}

async function nameIn({ ctx }: TelegramCall, channelId: number, id: string): Promise<string | null> {
  const subject = subjectOf(id);
  if (subject?.kind === "person") {
    if ((await membership(ctx, channelId, subject.userId)) === null) return null;
    return (await usernameById(ctx.db, subject.userId)) ?? null;
  }
  const bot = subject?.kind === "bot" ? await botOf(ctx, subject.botId) : null;
  return bot === null || (await placeOfBot(ctx.db, channelId, bot)) === null ? null : bot.name;
}
