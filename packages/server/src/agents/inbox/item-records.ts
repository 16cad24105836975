import type { InboxItem } from "@parley/protocol/inbox";
import type { ChatMessage } from "@parley/protocol/models";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { isoTime, recordJson } from "../../event-log/message-json.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { type ItemRow, messagesOfItems } from "../../messages/inbox/inbox-rows.ts";
import { noticeItem } from "../../messages/inbox/item-frames.ts";
import { actorOf, reactedOf, withOwnReactions } from "../../messages/reactions/own-reactions.ts";
import { fenceWord, renderContext, type Spoken, spokenMessage } from "../prompt/render-context.ts";

const INBOX = "What waits in this agent's inbox";

/** Returns the items with their messages as the agent sees them, without those whose message was purged meanwhile. */
export async function itemRecords(
  ctx: AppContext,
  caller: AgentIdentity,
  rows: readonly ItemRow[],
  channels: ReadonlyMap<number, Channel>,
): Promise<InboxItem[]> {
  const messages = await messagesById(ctx, caller, rows, channels);
  const items = rows.flatMap((row): InboxItem[] => {
    if (row.kind === "notice") return [noticeItem(row)];
    const chat_message = messages.get(row.message_id);
    if (chat_message === undefined) return [];
    const { channel_id, channel_slug } = chat_message;
    const place = { channel_id, channel_slug, agent_name: row.agent_name };
    return [
      { item_id: row.id, kind: row.kind, ...place, created_at: isoTime(row.created_at), chat_message, notice: null },
    ];
  });
  return items.map((item) => ({ ...item, rendered: renderItems(ctx, [item]) }));
}

async function messagesById(
  ctx: AppContext,
  caller: AgentIdentity,
  rows: readonly ItemRow[],
  channels: ReadonlyMap<number, Channel>,
): Promise<Map<number, ChatMessage>> {
  const ids = new Set(rows.flatMap(({ kind, message_id }) => (kind === "notice" ? [] : [message_id])));
  const found = await messagesOfItems(ctx.db, [...ids]);
  const records = found.map((row) => recordJson(row, channels.get(row.channel_id)?.slug ?? ""));
  const shared = { json: `[${records.join(",")}]`, reactedIds: reactedOf(found) };
  const seen = JSON.parse(await withOwnReactions(ctx, actorOf(caller), shared)) as ChatMessage[];
  return new Map(seen.map((message) => [message.id, message]));
}

/** Renders items as one block of text for a language model (protocol §5). */
export const renderItems = (ctx: AppContext, items: readonly InboxItem[]): string =>
  renderContext(INBOX, items.map(spokenItem), () => fenceWord(ctx.clock));

function spokenItem({ item_id, chat_message, channel_slug, created_at, notice }: InboxItem): Spoken {
  if (chat_message !== null) return { ...spokenMessage(chat_message), channel: channel_slug };
  const text = notice?.text ?? "";
  return { id: item_id, seq: 0, at: created_at, kind: "system", name: "server", replyTo: null, text, channel: null };
}
