import type { InboxItem } from "@parley/protocol/inbox";
import { nameKey } from "../accounts/names/names.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { hasScope } from "../http/key-scopes.ts";
import { holdersOf, type TelegramUser, userOf } from "./bots.ts";
import { chatRecord } from "./chats.ts";
import { channelChatId } from "./ids.ts";
import { messagesByIds, telegramMessages } from "./messages.ts";

/** A `CallbackQuery` of the Bot API. */
export interface CallbackQuery {
  id: string;
  from: TelegramUser;
  message: object;
  chat_instance: string;
  data: string;
}

/** True for an item that becomes an update. The press of a card (§12.6) waits for who reads the inbox by REST. */
export const isForDoor = ({ kind, interaction }: Pick<InboxItem, "kind" | "interaction">): boolean =>
  kind !== "press" || interaction?.kind === "menu";

/** The part of an item `press` from which a query is made. */
type Press = Pick<InboxItem, "item_id" | "channel_id" | "channel_slug" | "interaction">;

/**
 * Converts items `press` to queries, by the items' ids. Of a message that is gone, or that the bot may read no more, the
 * query has only the ids.
 */
export async function callbackQueries(
  ctx: AppContext,
  caller: AgentIdentity,
  items: readonly Press[],
  channels: ReadonlyMap<number, Channel>,
): Promise<Map<number, CallbackQuery>> {
  const pressed = items.flatMap((item) => {
    const { interaction, channel_id: channelId } = item;
    const result = interaction?.result ?? null;
    return result === null || interaction === undefined || channelId === null
      ? []
      : [{ item, result, channelId, messageId: interaction.message_id }];
  });
  if (pressed.length === 0) return new Map();
  const holders = await holdersOf(
    ctx,
    pressed.map(({ result }) => result.username),
  );
  const found = await messagesByIds(ctx, [...new Set(pressed.map(({ messageId }) => messageId))], channels);
  const sources = found.flatMap((message) => {
    const channel = channels.get(message.channel_id);
    return channel === undefined ? [] : [{ message, channel, hidesReply: !hasScope(caller, "read") }];
  });
  const converted = await telegramMessages(ctx, sources);
  const messages = new Map(sources.map(({ message }, at) => [message.id, converted[at]?.[0]]));
  return new Map(
    pressed.map(({ item, result, channelId, messageId }) => {
      const channel = channels.get(channelId);
      const title = item.channel_slug ?? "";
      const chat =
        channel === undefined ? { id: channelChatId(channelId), type: "supergroup", title } : chatRecord(channel);
      const query = {
        id: String(item.item_id),
        from: userOf(result.username, holders.get(nameKey(result.username))),
        message: messages.get(messageId) ?? { chat, message_id: messageId, date: 0 },
        chat_instance: String(chat.id),
        data: result.value ?? result.action_id,
      };
      return [item.item_id, query];
    }),
  );
}
