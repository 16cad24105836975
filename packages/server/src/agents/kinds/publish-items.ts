import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { recordJson } from "../../event-log/message-json.ts";
import { insertItems, messagesOfItems, type NewItem } from "../../messages/inbox/inbox-rows.ts";
import { messageItemFrame, publishItem } from "../../messages/inbox/item-frames.ts";
import { reactionsOf } from "./reactions.ts";

/** Stores items of messages at the end of a transaction, and publishes them to their agents after its commit. */
export async function addItems(
  ctx: AppContext,
  channels: ReadonlyMap<number, Channel>,
  items: readonly NewItem[],
): Promise<void> {
  if (items.length === 0) return;
  const messages = await messagesOfItems(ctx.db, [...new Set(items.map(({ message_id }) => message_id))]);
  const json = new Map(messages.map((row) => [row.id, recordJson(row, channels.get(row.channel_id)?.slug ?? "")]));
  const ids = await insertItems(ctx.db, items);
  const stored = items.map((item, at) => {
    return { ...item, id: ids[at] ?? 0, kind: item.kind ?? ("message" as const), notice: item.notice ?? null };
  });
  const reactions = await reactionsOf(ctx.db, stored);
  ctx.afterCommit(() => {
    for (const item of stored) {
      const message = json.get(item.message_id);
      if (message === undefined) continue;
      const channelSlug = channels.get(item.channel_id)?.slug ?? "";
      const frame = messageItemFrame(item, { json: message, channelSlug, reaction: reactions.get(item.id) });
      publishItem(ctx.root, item.agent_id, frame);
    }
  });
}
