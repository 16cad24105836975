import type { FileRecord } from "@parley/protocol/files";
import type { ChatMessage } from "@parley/protocol/models";
import { nameKey } from "../accounts/names/names.ts";
import { pause } from "../base/timers.ts";
import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import { recordJson } from "../event-log/message-json.ts";
import { messagesOfItems } from "../messages/inbox/inbox-rows.ts";
import { holdersOf, userOf } from "./bots.ts";
import { chatRecord } from "./chats.ts";
import { laterFileId, usernameOf } from "./ids.ts";
import { type MediaKind, mediaFields, mediaKindOf } from "./media.ts";
import { shownMarkup } from "./reply-markup.ts";
import type { NameRow } from "./telegram.store.ts";
import type { Formatted } from "./text/formatted.ts";
import { formattedOf } from "./text/from-markdown.ts";
import { PageBudget } from "./text/page-budget.ts";

/** Characters of a text that takes long to parse. */
const LONG = 500;

/** A `Message` of the Bot API. */
export type TelegramMessage = Record<string, unknown> & { message_id: number };

/** The parts from which a message is made. */
export interface Source {
  readonly message: ChatMessage;
  readonly channel: Channel;
  /** How its files show; absent: by their types. */
  readonly kind?: MediaKind | undefined;
  /** True for a key that may not read: the message that this one answers is left out. */
  readonly hidesReply?: boolean | undefined;
}

/** Returns a message of a channel that the caller may read; null: it has no such message, or it is deleted. */
export async function findMessage(ctx: AppContext, channel: Channel, messageId: number): Promise<ChatMessage | null> {
  const [message] = await messagesByIds(ctx, [messageId], new Map([[channel.id, channel]]));
  return message ?? null;
}

/** Returns messages of these channels, without those that are deleted or elsewhere. */
export async function messagesByIds(
  ctx: AppContext,
  ids: readonly number[],
  channels: ReadonlyMap<number, Channel>,
): Promise<ChatMessage[]> {
  const rows = await messagesOfItems(ctx.db, ids);
  return rows.flatMap((row) => {
    const channel = channels.get(row.channel_id);
    if (channel === undefined || row.deleted_at !== null) return [];
    return [JSON.parse(recordJson(row, channel.slug)) as ChatMessage];
  });
}

/**
 * Converts messages. A message with several files becomes several: each has one file, and all have one
 * `media_group_id`. A reply carries the message that it answers.
 */
export async function telegramMessages(ctx: AppContext, sources: readonly Source[]): Promise<TelegramMessage[][]> {
  const channels = new Map(sources.map(({ channel }) => [channel.id, channel]));
  const answered = sources.flatMap(({ message, hidesReply }) => (hidesReply ? [] : (message.reply_to_id ?? [])));
  const replied = new Map((await messagesByIds(ctx, answered, channels)).map((message) => [message.id, message]));
  const all = [...sources.map(({ message }) => message), ...replied.values()];
  const holders = await holdersOf(
    ctx,
    all
      .flatMap(({ username, agent_name, mentions }) => [
        username ?? agent_name ?? [],
        ...mentions.map(({ name }) => name),
      ])
      .flat(),
  );
  const budget = new PageBudget();
  const results: TelegramMessage[][] = [];
  for (const { message, channel, kind } of sources) {
    // Parsing a long text takes up to 50 ms: others have their turn in between.
    if (results.length > 0 && message.content.length > LONG) await pause(0);
    const whole = converted({ message, channel, kind }, holders, budget);
    const reply = message.reply_to_id === null ? undefined : replied.get(message.reply_to_id);
    const first =
      reply?.channel_id === channel.id ? converted({ message: reply, channel }, holders, budget)[0] : undefined;
    results.push(whole.map((part) => (first === undefined ? part : { ...part, reply_to_message: first })));
  }
  return results;
}

/** Converts one message; of several files, to the first of its parts. */
export async function telegramMessage(ctx: AppContext, source: Source): Promise<TelegramMessage> {
  const [[first] = []] = await telegramMessages(ctx, [source]);
  if (first === undefined) throw new Error("A message was converted to none.");
  return first;
}

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1_000);

function converted(
  { message, channel, kind }: Source,
  holders: ReadonlyMap<string, NameRow>,
  budget: PageBudget,
): TelegramMessage[] {
  const { thread_root_id: thread, edited_at: edited, files } = message;
  const head = {
    message_id: message.id,
    from: senderOf(message, holders),
    chat: chatRecord(channel),
    date: seconds(message.created_at),
    ...(edited === null ? {} : { edit_date: seconds(edited) }),
    ...(thread === null ? {} : { message_thread_id: thread, is_topic_message: true }),
  };
  const markup = shownMarkup(message);
  const { text, entities } = textOf(message, holders, budget);
  if (files.length === 0)
    return [{ ...head, text: text || `[${message.type}]`, ...(entities.length === 0 ? {} : { entities }), ...markup }];
  const caption =
    text === "" ? {} : { caption: text, ...(entities.length === 0 ? {} : { caption_entities: entities }) };
  const group = files.length === 1 ? {} : { media_group_id: String(message.id) };
  return files.map((file: FileRecord, index) => ({
    ...head,
    ...(index === 0 ? { ...caption, ...markup } : { message_id: laterFileId(file.file_id) }),
    ...group,
    ...mediaFields(file, kind ?? mediaKindOf(file)),
  }));
}

function senderOf(message: ChatMessage, holders: ReadonlyMap<string, NameRow>) {
  const name = message.username ?? message.agent_name;
  if (name === null) return userOf(message.webhook_name ?? "system", undefined, true);
  return userOf(name, holders.get(nameKey(name)));
}

function textOf(
  { content, mentions }: ChatMessage,
  holders: ReadonlyMap<string, NameRow>,
  budget: PageBudget,
): Formatted {
  const names = mentions.map(({ name, offset, length }) => ({
    source: content.slice(offset, offset + length),
    username: usernameOf(name, holders.get(nameKey(name))?.bot_id ?? null),
  }));
  return formattedOf(content, names, budget);
}
