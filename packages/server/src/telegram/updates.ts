import type { InboxItem } from "@parley/protocol/inbox";
import { readableAmong } from "../agents/mentions/mentions.service.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { messagesByIds, type TelegramMessage, telegramMessages } from "./messages.ts";
import { type CallbackQuery, callbackQueries } from "./presses.ts";

/** An `Update` of the Bot API. */
export interface Update {
  update_id: number;
  message?: TelegramMessage;
  callback_query?: CallbackQuery;
}

/** The part of an inbox's item from which an update is made. */
type Item = Pick<InboxItem, "item_id" | "kind" | "channel_id" | "channel_slug" | "chat_message" | "interaction">;

/**
 * Converts items of the inbox to updates, oldest first. The messages are read again, because those of the inbox have
 * their hidden characters written out for language models.
 */
export async function updatesOf(ctx: AppContext, caller: AgentIdentity, items: readonly Item[]): Promise<Update[]> {
  const places = items.flatMap(({ channel_id }) => (channel_id === null ? [] : [{ channelId: channel_id }]));
  const channels = await readableAmong(ctx, caller, places, null);
  const ids = items.flatMap(({ chat_message }) => chat_message?.id ?? []);
  const messages = await messagesByIds(ctx, [...new Set(ids)], channels);
  const sources = messages.flatMap((message) => {
    const channel: Channel | undefined = channels.get(message.channel_id);
    return channel === undefined ? [] : [{ message, channel }];
  });
  const converted = await telegramMessages(ctx, sources);
  const byId = new Map(sources.map(({ message }, index) => [message.id, converted[index] ?? []]));
  const pressed = items.filter(({ kind }) => kind === "press");
  const queries = await callbackQueries(ctx, pressed, channels);
  return items.flatMap(({ item_id, chat_message }): Update[] => {
    const query = queries.get(item_id);
    if (query !== undefined) return [{ update_id: item_id, callback_query: query }];
    return (byId.get(chat_message?.id ?? 0) ?? []).map((message) => ({ update_id: item_id, message }));
  });
}
