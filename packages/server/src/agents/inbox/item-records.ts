import type { InboxItem } from "@parley/protocol/inbox";
import type { ChatMessage } from "@parley/protocol/models";
import { isoTime } from "../../base/iso-time.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { recordJson } from "../../event-log/message-json.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { cardItems } from "../../messages/cards/card-items.ts";
import { hasMessage, type ItemRow, isNotice, messagesOfItems } from "../../messages/inbox/inbox-rows.ts";
import { noticeItem } from "../../messages/inbox/item-frames.ts";
import { actorOf, differingOf, withOwnFields } from "../../messages/own-fields.ts";
import { reactionsOf } from "../kinds/reactions.ts";
import { viewOf } from "../prompt/authority.ts";
import { envelope } from "../prompt/envelope.ts";
import type { Envelope } from "../prompt/render-context.ts";
import { type Spoken, spokenAnswer, spokenMessage, spokenNotice, spokenReaction } from "../prompt/spoken.ts";

const INBOX = "What waits in this agent's inbox";

/** Returns the items with their messages as the agent sees them, without those whose message was purged meanwhile. */
export async function itemRecords(
  ctx: AppContext,
  caller: AgentIdentity,
  rows: readonly ItemRow[],
  channels: ReadonlyMap<number, Channel>,
): Promise<InboxItem[]> {
  const messages = await messagesById(ctx, caller, rows, channels);
  const cards = await cardItems(ctx, rows);
  const reactions = await reactionsOf(ctx.db, rows);
  const items = rows.flatMap((row): InboxItem[] => {
    if (isNotice(row)) return [noticeItem(row)];
    if (!hasMessage(row)) return [cards.get(row.id) ?? []].flat();
    const chat_message = messages.get(row.message_id);
    if (chat_message === undefined) return [];
    const { channel_id, channel_slug } = chat_message;
    const place = { channel_id, channel_slug, agent_name: row.agent_name };
    const item = { item_id: row.id, kind: row.kind, ...place, created_at: isoTime(row.created_at), chat_message };
    if (row.kind !== "reaction") return [{ ...item, notice: null }];
    const reaction = reactions.get(row.id);
    return reaction === undefined ? [] : [{ ...item, reaction, notice: null }];
  });
  return items.map((item) => ({ ...item, rendered: renderItems(ctx, [item]).rendered }));
}

async function messagesById(
  ctx: AppContext,
  caller: AgentIdentity,
  rows: readonly ItemRow[],
  channels: ReadonlyMap<number, Channel>,
): Promise<Map<number, ChatMessage>> {
  const ids = new Set(rows.flatMap(({ kind, message_id }) => (hasMessage({ kind }) ? [message_id] : [])));
  const found = await messagesOfItems(ctx.db, [...ids]);
  const records = found.map((row) => recordJson(row, channels.get(row.channel_id)?.slug ?? ""));
  const shared = { json: `[${records.join(",")}]`, ...differingOf(found) };
  const own = JSON.parse(await withOwnFields(ctx, actorOf(caller), shared)) as ChatMessage[];
  const { messages } = await viewOf(ctx, caller, own);
  return new Map(messages.map((message) => [message.id, message]));
}

/** Renders items as one block of text for a language model (protocol §5). */
export const renderItems = (ctx: AppContext, items: readonly InboxItem[], maxChars?: number | undefined): Envelope =>
  envelope(ctx, INBOX, items.map(spokenItem), maxChars);

function spokenItem(item: InboxItem): Spoken {
  const { item_id, chat_message, channel_slug, created_at, notice } = item;
  if (item.interaction !== undefined) return spokenAnswer(item, item.interaction);
  if (item.reaction !== undefined && chat_message !== null) return spokenReaction(item, item.reaction, chat_message);
  if (chat_message !== null) {
    const { authority = "guest" } = chat_message;
    const toYou = item.kind !== "message";
    return { ...spokenMessage(chat_message, { authority, toYou }), itemId: item_id, channel: channel_slug };
  }
  return spokenNotice(item_id, created_at, notice?.text ?? "");
}
