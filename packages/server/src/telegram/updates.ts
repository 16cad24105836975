import type { InboxItem } from "@parley/protocol/inbox";
import { readableAmong } from "../agents/mentions/mentions.service.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { hasScope } from "../http/key-scopes.ts";
import { messagesByIds, type TelegramMessage, telegramMessages } from "./messages.ts";

/** An `Update` of the Bot API. */
export interface Update {
  update_id: number;
  message: TelegramMessage;
}

/** The part of an inbox's item from which an update is made. */
type Item = Pick<InboxItem, "item_id" | "channel_id" | "chat_message">;

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
    return channel === undefined ? [] : [{ message, channel, hidesReply: !hasScope(caller, "read") }];
  });
  const converted = await telegramMessages(ctx, sources);
  const byId = new Map(sources.map(({ message }, index) => [message.id, converted[index] ?? []]));
  return items.flatMap(({ item_id, chat_message }) =>
    (byId.get(chat_message?.id ?? 0) ?? []).map((message) => ({ update_id: item_id, message })),
  );
}
