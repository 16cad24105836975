import type { FileRecord } from "@parley/protocol/files";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { lastSeq } from "../../event-log/feed/feed.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import { messagesAfter, newestMessageId } from "../../event-log/rows.ts";
import { type StoredCard, storedCard } from "../../event-log/stored-card.ts";
import { withoutWords } from "../../files/sending.ts";
import { messagesOf, pinnedMessages } from "../messages.store.ts";
import { type Actor, markedRecords } from "../own-fields.ts";

/** Rows read per page of a channel. */
const PAGE_ROWS = 500;

/** Returns all messages of a channel up to its current newest seq, as JSON records in order, page by page. */
export async function channelMessages(
  ctx: AppContext,
  channel: Channel,
  reader: Actor | null,
): Promise<{ lastSeq: number; pages: AsyncGenerator<string[]> }> {
  const upTo = await lastSeq(ctx, channel.id);
  return { lastSeq: upTo, pages: pagesUpTo(ctx, channel, reader, upTo) };
}

async function* pagesUpTo(
  ctx: AppContext,
  channel: Channel,
  reader: Actor | null,
  upTo: number,
): AsyncGenerator<string[]> {
  for (let after = 0; after < upTo; ) {
    const rows = await messagesAfter(ctx.db, channel.id, after, PAGE_ROWS);
    const shown = rows.filter(({ seq }) => seq <= upTo).map((row) => ({ ...row, slug: channel.slug }));
    yield await markedRecords(ctx, reader, shown);
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.seq ?? upTo;
    // A synchronous database would otherwise never yield to the event loop.
    await new Promise(setImmediate);
  }
}

/** Yields the channel's pins, newest first: message id, time, and who pinned it. */
export async function* pinsOf(ctx: AppContext, channelId: number): AsyncGenerator<string[]> {
  const rows = await pinnedMessages(ctx.db, channelId);
  yield rows.map(({ id, pinned_at, pinned_by, pinned_agent_id: agentId }) => {
    const agent = agentId === null ? {} : { pinned_by_agent_id: agentId };
    return JSON.stringify({ message_id: id, pinned_at: isoTimeOrNull(pinned_at), pinned_by, ...agent });
  });
}

/** Rows scanned per page. There is no index on the author: it would slow down every send, and this is rare. */
const SCANNED_ROWS = 1_000;

/**
 * Yields all messages of a user as records, oldest first, in pages that may be empty. Scans all messages up to the
 * newest at the start, a few milliseconds at a time.
 */
export async function* ownMessages(ctx: AppContext, userId: number): AsyncGenerator<string[]> {
  const newest = await newestMessageId(ctx.db);
  for (let after = 0; after < newest; after += SCANNED_ROWS) {
    const rows = await messagesOf(ctx.db, userId, after, Math.min(after + SCANNED_ROWS, newest));
    yield await markedRecords(ctx, { kind: "user", id: userId }, rows.map(ownPart));
    // A synchronous database would otherwise never yield to the event loop.
    await new Promise(setImmediate);
  }
}

/** Returns a message without the words of others: previews of links, and what its sender has forwarded. */
function ownPart<R extends Pick<MessageRow, "card" | "content" | "files" | "previews">>(shown: R): R {
  const row = { ...shown, previews: null };
  const forwarded = storedCard(row)?.forwarded;
  if (forwarded === undefined) return row;
  const { is_copy, comment_length } = forwarded;
  const nobody = { content: null, username: null, agent_name: null, webhook_name: null, created_at: null };
  const card = { forwarded: { ...nobody, is_copy, comment_length } } satisfies StoredCard;
  const files = row.files && JSON.stringify((JSON.parse(row.files) as FileRecord[]).map(withoutWords));
  return { ...row, content: row.content.slice(0, comment_length), card: JSON.stringify(card), files };
}
