import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { HistoryPage } from "../../event-log/feed/feed-memory.ts";
import { firstSeqAbove } from "../../event-log/first-since.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import { channelState, newestMessageId } from "../../event-log/rows.ts";
import { findMessage } from "../messages.store.ts";
import { differingOf } from "../own-fields.ts";
import type { MessageSource } from "./message-sources.ts";

/** What a page is made of. */
export interface Pages {
  channel: Channel;
  source: MessageSource;
  limit: number;
  /** The channel's newest seq. */
  lastSeq: number;
}

type Cursors = Pick<HistoryPage, "hasMore" | "nextBefore" | "nextAfterSeq">;

/** Returns the page that ends before `seq`. */
export async function pageBefore(pages: Pages, seq: number): Promise<HistoryPage> {
  const { rows, rest } = await pages.source.before(seq, pages.limit + 1);
  return pageBackwards(pages, rows, rest);
}

/** Returns a page of rows newest first, one more than it shows. */
export function pageBackwards(pages: Pages, rows: readonly MessageRow[], rest: number | null = null): HistoryPage {
  const shown = rows.slice(0, pages.limit).reverse();
  const isCut = rows.length > pages.limit;
  const nextBefore = isCut ? (shown[0]?.id ?? null) : rest;
  return pageOf(pages, shown, { hasMore: nextBefore !== null, nextBefore, nextAfterSeq: null });
}

/** Returns the page that starts after `seq`. */
export async function pageAfter(pages: Pages, seq: number): Promise<HistoryPage> {
  const { limit, lastSeq, source } = pages;
  const { rows, rest } = seq >= lastSeq ? { rows: [], rest: null } : await source.after(seq, limit + 1);
  const shown = rows.slice(0, limit);
  const isCut = rows.length > limit;
  return pageOf(pages, shown, {
    hasMore: isCut || rest !== null,
    nextBefore: shown[0]?.id ?? null,
    nextAfterSeq: (isCut ? null : rest) ?? shown.at(-1)?.seq ?? seq,
  });
}

/** Returns the page with the message of this seq in the middle. */
export async function pageAround(pages: Pages, seq: number): Promise<HistoryPage> {
  const { limit, source } = pages;
  const half = Math.floor(limit / 2);
  const older = await source.before(seq, half + 1);
  const newer = await source.after(seq - 1, limit - half + 1);
  const shown = [...older.rows.slice(0, half).reverse(), ...newer.rows.slice(0, limit - half)];
  const isOlderCut = older.rows.length > half;
  const nextBefore = isOlderCut ? (shown[0]?.id ?? null) : older.rest;
  const isNewerCut = newer.rows.length > limit - half;
  return pageOf(pages, shown, {
    hasMore: nextBefore !== null || isNewerCut || newer.rest !== null,
    nextBefore,
    nextAfterSeq: (isNewerCut ? null : newer.rest) ?? shown.at(-1)?.seq ?? null,
  });
}

/** Returns a page of these messages, which need not be adjacent. */
export const pageOf = (
  { channel, limit, lastSeq }: Pick<Pages, "channel" | "limit" | "lastSeq">,
  shown: readonly MessageRow[],
  cursors: Cursors,
): HistoryPage => ({
  messagesJson: `[${shown.map((row) => recordJson(row, channel.slug)).join(",")}]`,
  ...differingOf(shown),
  count: shown.length,
  ...cursors,
  lastSeq,
  limit,
});

/** Where a cursor stands among a channel's messages. */
export interface Place {
  /** Messages before the cursor have a smaller seq. */
  seq: number;
  /** Messages after the cursor have a larger seq. */
  after: number;
}

/**
 * Returns the place of a message id. The id of a message that was removed for good counts as the place where it was
 * (protocol §13.8). Errors: `invalid_cursor`.
 */
export async function placeOf(ctx: AppContext, { id: channelId }: Channel, messageId: number): Promise<Place> {
  const row = await findMessage(ctx.db, messageId);
  if (row?.channel_id === channelId) return { seq: row.seq, after: row.seq };
  if (row !== undefined || messageId > (await newestMessageId(ctx.db)))
    throw fail("invalid_cursor", { message: "The cursor is not a message of this channel." });
  const lastSeq = (await channelState(ctx.db, channelId))?.last_seq ?? 0;
  const seq = await firstSeqAbove(ctx.db, channelId, lastSeq, messageId);
  return { seq, after: seq - 1 };
}
