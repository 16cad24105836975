import { RESUME_EVENTS_MAX } from "@parley/protocol/limits";
import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import type { Millis } from "../../db/columns.ts";
import { fail } from "../../errors.ts";
import { loadEvents } from "../../event-log/events.ts";
import type { ChannelFeed } from "../../event-log/feed/channel-feed.ts";
import { freshFeed } from "../../event-log/feed/feed.ts";
import type { HistoryPage } from "../../event-log/feed/feed-memory.ts";
import { firstSeqSince } from "../../event-log/first-since.ts";
import { type MessageRow, recordJson } from "../../event-log/message-json.ts";
import { findMessages, messagesAfter, messagesBefore } from "../../event-log/rows.ts";
import type { Identity } from "../../http/identity.ts";
import { clampLimit } from "../../http/pages.ts";
import { ReadyJson } from "../../http/route.ts";
import { messagesAtOffset } from "../messages.store.ts";
import { actorOf, reactedOf, withOwnReactions } from "../reactions/own-reactions.ts";
import { type Place, placeOf } from "./cursor.ts";
import { withoutMarkdown } from "./plain-text.ts";

/** The position of a page: at most one cursor; without one, the newest page. */
export interface PageRequest {
  limit?: number | undefined;
  /** Message id, exclusive. */
  before?: number | undefined;
  /** Message id, exclusive. */
  after?: number | undefined;
  afterSeq?: number | undefined;
  /** The time of the first message, at the earliest. */
  since?: Millis | undefined;
  /** Message id in the middle of the page. */
  around?: number | undefined;
  /** Message ids; those of other channels are ignored. */
  ids?: readonly number[] | undefined;
  /** Messages to skip, from the newest. */
  offset?: number | undefined;
}

/**
 * Returns a page of the channel's messages. Synchronous for the newest page of a channel in memory. Errors:
 * `invalid_cursor`.
 */
export function history(ctx: AppContext, channel: Channel, page: PageRequest): HistoryPage | Promise<HistoryPage> {
  const { before, after, afterSeq, since, around, ids, offset } = page;
  const places = [before, after, afterSeq, since, around, ids, offset === 0 ? undefined : offset];
  const cursors = places.filter((at) => at !== undefined);
  if (cursors.length > 1) throw fail("invalid_cursor", { message: "Send at most one cursor." });
  const limit = clampLimit(page.limit);
  const feed = freshFeed(ctx, channel.id);
  if (cursors.length === 0 && !(feed instanceof Promise)) return newest(ctx, channel, feed, limit);
  return findPage(ctx, channel, page, limit, feed);
}

/** Returns the page with the caller's own reactions marked. A page without reactions is the shared one, at no cost. */
export function historyFor(
  ctx: AppContext,
  caller: Identity,
  channel: Channel,
  request: PageRequest,
): HistoryPage | Promise<HistoryPage> {
  const page = history(ctx, channel, request);
  return page instanceof Promise ? page.then((shared) => marked(ctx, caller, shared)) : marked(ctx, caller, page);
}

function marked(ctx: AppContext, caller: Identity, page: HistoryPage): HistoryPage | Promise<HistoryPage> {
  const own = withOwnReactions(ctx, actorOf(caller), { json: page.messagesJson, reactedIds: page.reactedIds });
  if (typeof own === "string") return page;
  return own.then((messagesJson) => {
    return messagesJson === page.messagesJson ? page : { ...page, messagesJson };
  });
}

async function findPage(
  ctx: AppContext,
  channel: Channel,
  page: PageRequest,
  limit: number,
  loading: ChannelFeed | Promise<ChannelFeed>,
): Promise<HistoryPage> {
  const feed = await loading;
  if (page.before !== undefined)
    return descending(ctx, channel, feed, limit, (await placeOf(ctx, channel, page.before)).seq);
  if (page.after !== undefined)
    return ascending(ctx, channel, feed, limit, (await placeOf(ctx, channel, page.after)).after);
  if (page.afterSeq !== undefined) return ascending(ctx, channel, feed, limit, page.afterSeq);
  if (page.since !== undefined) {
    const first = await firstSeqSince(ctx.db, channel.id, feed.lastSeq, page.since);
    return ascending(ctx, channel, feed, limit, first - 1);
  }
  if (page.around !== undefined) return around(ctx, channel, feed, limit, await placeOf(ctx, channel, page.around));
  if (page.ids !== undefined) return named(ctx, channel, feed, page.ids);
  if (page.offset !== undefined && page.offset > 0) return atOffset(ctx, channel, feed, limit, page.offset);
  return newest(ctx, channel, feed, limit);
}

/** Returns the newest page from memory if the tail holds all of it: no SQL, no serialization. */
function newest(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  limit: number,
): HistoryPage | Promise<HistoryPage> {
  if (feed.memory.newestPage?.limit === limit) return feed.memory.newestPage;
  const { messages, hasOlder, isForgotten } = feed.memory;
  if (hasOlder && messages.length < limit) {
    if (isForgotten) feed.remember();
    return descending(ctx, channel, feed, limit, feed.lastSeq + 1);
  }
  const shown = messages.slice(-limit);
  const hasMore = hasOlder || messages.length > shown.length;
  const page = {
    messagesJson: `[${shown.map(({ json }) => json).join(",")}]`,
    reactedIds: shown.flatMap(({ id, reacted }) => (reacted === true ? [id] : [])),
    count: shown.length,
    hasMore,
    nextBefore: hasMore ? (shown[0]?.id ?? null) : null,
    nextAfterSeq: null,
    lastSeq: feed.lastSeq,
    limit,
  };
  feed.memory.newestPage = page;
  return page;
}

/** Returns the page with texts without Markdown. Each request makes its own, unlike the page as it was sent. */
export function plainPage(page: HistoryPage): HistoryPage {
  return { ...page, messagesJson: withoutMarkdown(page.messagesJson) };
}

/** The answers of newest pages, which many readers ask for until the next message comes. */
const answers = new WeakMap<HistoryPage, ReadyJson>();

/** Returns the answer of GET /api/messages; an ascending page includes the next cursor. */
export function historyAnswer(channel: Channel, page: HistoryPage, ascends: boolean): ReadyJson {
  const known = answers.get(page);
  if (known !== undefined) return known;
  const rest = {
    has_more: page.hasMore,
    next_before: page.nextBefore,
    ...(ascends ? { next_after_seq: page.nextAfterSeq } : {}),
    last_seq: page.lastSeq,
    limit: page.limit,
  };
  const json = `{"success":true,"channel_id":${channel.id},"messages":${page.messagesJson},${JSON.stringify(rest).slice(1)}`;
  const answer = new ReadyJson(json, 200);
  answers.set(page, answer);
  return answer;
}

async function descending(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  limit: number,
  seq: number,
): Promise<HistoryPage> {
  return backwards(channel, feed, limit, await messagesBefore(ctx.db, channel.id, seq, limit + 1));
}

async function atOffset(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  limit: number,
  offset: number,
): Promise<HistoryPage> {
  return backwards(channel, feed, limit, await messagesAtOffset(ctx.db, channel.id, offset, limit + 1));
}

/** Expects rows newest first, one more than is shown. */
function backwards(channel: Channel, feed: ChannelFeed, limit: number, rows: MessageRow[]): HistoryPage {
  const shown = rows.slice(0, limit).reverse();
  const hasMore = rows.length > limit;
  return {
    messagesJson: rowsJson(shown, channel),
    reactedIds: reactedOf(shown),
    count: shown.length,
    hasMore,
    nextBefore: hasMore ? (shown[0]?.id ?? null) : null,
    nextAfterSeq: null,
    lastSeq: feed.lastSeq,
    limit,
  };
}

async function ascending(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  limit: number,
  seq: number,
): Promise<HistoryPage> {
  const rows = seq >= feed.lastSeq ? [] : await messagesAfter(ctx.db, channel.id, seq, limit + 1);
  const shown = rows.slice(0, limit);
  return {
    messagesJson: rowsJson(shown, channel),
    reactedIds: reactedOf(shown),
    count: shown.length,
    hasMore: rows.length > limit,
    nextBefore: shown[0]?.id ?? null,
    nextAfterSeq: shown.at(-1)?.seq ?? seq,
    lastSeq: feed.lastSeq,
    limit,
  };
}

async function around(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  limit: number,
  middle: Place,
): Promise<HistoryPage> {
  const half = Math.floor(limit / 2);
  const older = await messagesBefore(ctx.db, channel.id, middle.seq, half + 1);
  const newer = await messagesAfter(ctx.db, channel.id, middle.seq - 1, limit - half + 1);
  const shown = [...older.slice(0, half).reverse(), ...newer.slice(0, limit - half)];
  const hasOlder = older.length > half;
  return {
    messagesJson: rowsJson(shown, channel),
    reactedIds: reactedOf(shown),
    count: shown.length,
    hasMore: hasOlder || newer.length > limit - half,
    nextBefore: hasOlder ? (shown[0]?.id ?? null) : null,
    nextAfterSeq: shown.at(-1)?.seq ?? null,
    lastSeq: feed.lastSeq,
    limit,
  };
}

/** Returns the named messages. They need not be adjacent, so the page has no previous or next page. */
async function named(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  ids: readonly number[],
): Promise<HistoryPage> {
  const rows = (await findMessages(ctx.db, [...new Set(ids)])).filter((row) => row.channel_id === channel.id);
  const shown = rows.toSorted((one, other) => one.seq - other.seq);
  return {
    messagesJson: rowsJson(shown, channel),
    reactedIds: reactedOf(shown),
    count: shown.length,
    hasMore: false,
    nextBefore: null,
    nextAfterSeq: null,
    lastSeq: feed.lastSeq,
    limit: ids.length,
  };
}

const rowsJson = (rows: readonly MessageRow[], channel: Channel): string =>
  `[${rows.map((row) => recordJson(row, channel.slug)).join(",")}]`;

/** The events for a reconnecting socket (protocol §8). */
export type Resumed =
  | { recovered: true; framesJson: string[]; lastSeq: number }
  | { recovered: false; lastSeq: number };

/** Events loaded per step for a resuming socket; bounds the wasted reads when the events turn out too large. */
const RESUME_STEP = 100;

/**
 * Returns all durable frames after `afterSeq`, once and in order, if there are at most 1,000 with about `bytesMax`
 * bytes and the client's data has the same epoch; otherwise none, and the client pages through the history.
 */
export async function resume(
  ctx: AppContext,
  channel: Channel,
  afterSeq: number,
  epoch: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Resumed> {
  const feed = await freshFeed(ctx, channel.id);
  const upTo = feed.lastSeq;
  const lost: Resumed = { recovered: false, lastSeq: upTo };
  if (epoch !== ctx.epoch || afterSeq > upTo || upTo - afterSeq > RESUME_EVENTS_MAX) return lost;
  const kept = feed.framesAfter(afterSeq);
  if (kept !== null) return { recovered: true, framesJson: kept, lastSeq: upTo };
  const frames: string[] = [];
  let [reached, bytes] = [afterSeq, 0];
  while (reached < upTo) {
    const events = await loadEvents(ctx, channel.id, reached, RESUME_STEP);
    for (const { seq, frame } of events) {
      if (reached === upTo) break;
      if (seq !== reached + 1) return lost;
      frames.push(frame);
      reached = seq;
      bytes += frame.length;
    }
    if (events.length === 0 || bytes > bytesMax) return lost;
  }
  return { recovered: true, framesJson: frames, lastSeq: upTo };
}
