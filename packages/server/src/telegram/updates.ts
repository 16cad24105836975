import type { InboxItem } from "@parley/protocol/inbox";
import { nameKey } from "../accounts/names/names.ts";
import { readableAmong } from "../agents/mentions/mentions.service.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { AgentIdentity } from "../http/identity.ts";
import { hasScope } from "../http/key-scopes.ts";
import { holdersOf, type TelegramUser, userOf } from "./bots.ts";
import { chatRecord, type TelegramChat } from "./chats.ts";
import { channelChatId, SERVICE_ID } from "./ids.ts";
import { messagesByIds, type TelegramMessage, telegramMessages } from "./messages.ts";
import { type CallbackQuery, callbackQueries } from "./presses.ts";
import { adderOf, bannerOf, reactionsBy } from "./update-kinds.store.ts";

/** An `Update` of the Bot API. */
export type Update = { update_id: number } & (
  | { message: TelegramMessage }
  | { edited_message: TelegramMessage }
  | { callback_query: CallbackQuery }
  | { message_reaction: object }
  | { my_chat_member: object }
);

/** The parts of an inbox's item from which an update is made. */
type Item = Pick<
  InboxItem,
  | "item_id"
  | "kind"
  | "channel_id"
  | "channel_slug"
  | "agent_name"
  | "created_at"
  | "chat_message"
  | "interaction"
  | "reaction"
  | "notice"
>;

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
  const pressed = items.filter(({ kind }) => kind === "press");
  const queries = await callbackQueries(ctx, caller, pressed, channels);
  const updates: Update[] = [];
  for (const item of items) {
    const update_id = item.item_id;
    const query = queries.get(update_id);
    const parts = byId.get(item.chat_message?.id ?? 0) ?? [];
    if (query !== undefined) updates.push({ update_id, callback_query: query });
    else if (item.kind === "membership")
      updates.push({ update_id, my_chat_member: await placeChange(ctx, caller.agentId, item, channels) });
    else if (item.reaction !== undefined) updates.push(...(await reactionUpdate(ctx, item, parts[0])));
    else if (item.kind === "edit") updates.push(...parts.map((edited_message) => ({ update_id, edited_message })));
    else updates.push(...parts.map((message) => ({ update_id, message })));
  }
  return updates;
}

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1_000);

/** Returns the update of a reaction: those of the person before and after it; none if the message is gone. */
async function reactionUpdate(
  ctx: AppContext,
  { item_id: update_id, reaction, created_at }: Item,
  message: TelegramMessage | undefined,
): Promise<Update[]> {
  if (reaction === undefined || message === undefined) return [];
  const name = reaction.username ?? "";
  const holder = (await holdersOf(ctx, [name])).get(nameKey(name));
  const now = holder?.user_id == null ? [] : await reactionsBy(ctx.db, message.message_id, holder.user_id);
  const others = now.filter((own) => own !== reaction.reaction);
  const [without, having] = [others, [...others, reaction.reaction]].map((all) =>
    all.map((emoji) => ({ type: "emoji", emoji })),
  );
  const message_reaction = {
    chat: message.chat,
    message_id: message.message_id,
    user: userOf(name, holder),
    date: secondsOf(created_at),
    old_reaction: reaction.added ? without : having,
    new_reaction: reaction.added ? having : without,
  };
  return [{ update_id, message_reaction }];
}

/** The statuses of the bot before and after a change of its place in a channel. */
const STATUSES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  added: ["left", "member"],
  kicked: ["member", "left"],
  banned: ["member", "kicked"],
  deleted: ["member", "left"],
};

/** Returns the `ChatMemberUpdated` of an item `membership`. */
async function placeChange(
  ctx: AppContext,
  agentId: number,
  item: Item,
  channels: ReadonlyMap<number, Channel>,
): Promise<object> {
  const name = item.agent_name ?? "";
  const by = await actorOf(ctx, agentId, item);
  const holders = await holdersOf(ctx, by === undefined ? [name] : [name, by]);
  const user = userOf(name, holders.get(nameKey(name)));
  const [before, after] = STATUSES[item.notice?.type ?? ""] ?? ["member", "left"];
  const channel = channels.get(item.channel_id ?? 0);
  return {
    chat: channel === undefined ? goneChat(item) : chatRecord(channel),
    from: by === undefined ? SYSTEM : userOf(by, holders.get(nameKey(by))),
    date: secondsOf(item.created_at),
    old_chat_member: memberOf(user, before),
    new_chat_member: memberOf(user, after),
  };
}

/** Returns who changed the bot's place, as long as the place or the ban says so; of other changes nobody notes it. */
async function actorOf(ctx: AppContext, agentId: number, item: Item): Promise<string | undefined> {
  const change = { channelId: item.channel_id ?? 0, agentId, at: Date.parse(item.created_at) };
  if (item.notice?.type === "added") return adderOf(ctx.db, change);
  return item.notice?.type === "banned" ? bannerOf(ctx.db, change) : undefined;
}

const SYSTEM: TelegramUser = { id: SERVICE_ID, is_bot: false, first_name: "system" };

const memberOf = (user: TelegramUser, status: string): object =>
  status === "kicked" ? { status, user, until_date: 0 } : { status, user };

/** Returns the chat of a channel that the bot may not read any more. */
const goneChat = ({ channel_id, channel_slug }: Item): TelegramChat => ({
  id: channelChatId(channel_id ?? 0),
  type: "supergroup",
  title: channel_slug ?? "",
  is_forum: true,
});
