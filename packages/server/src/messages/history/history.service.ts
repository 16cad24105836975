import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import type { Millis } from "../../db/columns.ts";
import { fail } from "../../errors.ts";
import type { ChannelFeed } from "../../event-log/feed/channel-feed.ts";
import { freshFeed } from "../../event-log/feed/feed.ts";
import type { HistoryPage } from "../../event-log/feed/feed-memory.ts";
import { firstSeqSince } from "../../event-log/first-since.ts";
import { findMessages } from "../../event-log/rows.ts";
import type { Identity } from "../../http/identity.ts";
import { clampLimit } from "../../http/pages.ts";
import { ReadyJson } from "../../http/route.ts";
import { messagesAtOffset } from "../messages.store.ts";
import { actorOf, withOwnFields } from "../own-fields.ts";
import { allMessages, withoutReplies } from "./message-sources.ts";
import { type Pages, pageAfter, pageAround, pageBackwards, pageBefore, pageOf, placeOf } from "./pages.ts";
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
  /** Leaves out the replies that only their threads show. */
  collapses?: boolean | undefined;
}

/**
 * Returns a page of the channel's messages. Synchronous for the newest page of a channel in memory. Errors:
 * `invalid_cursor`.
 */
export function history(ctx: AppContext, channel: Channel, page: PageRequest): HistoryPage | Promise<HistoryPage> {
  const { before, after, afterSeq, since, around, ids, offset, collapses = false } = page;
  const places = [before, after, afterSeq, since, around, ids, offset === 0 ? undefined : offset];
  const cursors = places.filter((at) => at !== undefined);
  if (cursors.length > 1) throw fail("invalid_cursor", { message: "Send at most one cursor." });
  if (collapses && offset !== undefined && offset > 0)
    throw fail("invalid_cursor", { message: "With threads=collapse, page by before instead of offset." });
  const limit = clampLimit(page.limit);
  const feed = freshFeed(ctx, channel.id);
  if (cursors.length === 0 && !(feed instanceof Promise)) return newest(ctx, channel, feed, limit, collapses);
  return findPage(ctx, channel, page, limit, feed);
}

/**
 * Returns the page with what is the caller's own. A page without reactions and threads is the shared one, at no cost.
 */
export function historyFor(
  ctx: AppContext,
  caller: Identity,
  channel: Channel,
  request: PageRequest,
): HistoryPage | Promise<HistoryPage> {
  const page = history(ctx, channel, request);
  return page instanceof Promise ? page.then((shared) => marked(ctx, caller, shared)) : marked(ctx, caller, page);
}

/** Adds what is the caller's own to a page. */
export function marked(ctx: AppContext, caller: Identity, page: HistoryPage): HistoryPage | Promise<HistoryPage> {
  const own = withOwnFields(ctx, actorOf(caller), { ...page, json: page.messagesJson });
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
  const pages = pagesOf(ctx, channel, feed, limit, page.collapses === true);
  if (page.before !== undefined) return pageBefore(pages, (await placeOf(ctx, channel, page.before)).seq);
  if (page.after !== undefined) return pageAfter(pages, (await placeOf(ctx, channel, page.after)).after);
  if (page.afterSeq !== undefined) return pageAfter(pages, page.afterSeq);
  if (page.since !== undefined) {
    const first = await firstSeqSince(ctx.db, channel.id, feed.lastSeq, page.since);
    return pageAfter(pages, first - 1);
  }
  if (page.around !== undefined) return pageAround(pages, (await placeOf(ctx, channel, page.around)).seq);
  if (page.ids !== undefined) return named(ctx, pages, page.ids);
  if (page.offset !== undefined && page.offset > 0)
    return pageBackwards(pages, await messagesAtOffset(ctx.db, channel.id, page.offset, limit + 1));
  return newest(ctx, channel, feed, limit, page.collapses === true);
}

const pagesOf = (
  ctx: AppContext,
  channel: Channel,
  { lastSeq }: ChannelFeed,
  limit: number,
  collapses: boolean,
): Pages => ({
  channel,
  source: collapses ? withoutReplies(ctx.db, channel.id, lastSeq) : allMessages(ctx.db, channel.id),
  limit,
  lastSeq,
});

/** Returns the newest page from memory if the tail holds all of it: no SQL, no serialization. */
function newest(
  ctx: AppContext,
  channel: Channel,
  feed: ChannelFeed,
  limit: number,
  collapses: boolean,
): HistoryPage | Promise<HistoryPage> {
  const { memory } = feed;
  // Without replies to hide both pages are the same one.
  const hides = collapses && memory.messages.some(({ hidden }) => hidden);
  const known = hides ? memory.newestCollapsed : memory.newestPage;
  if (known?.limit === limit) return known;
  const { hasOlder, isForgotten } = memory;
  const messages = hides ? memory.messages.filter(({ hidden }) => !hidden) : memory.messages;
  if (hasOlder && messages.length < limit) {
    if (isForgotten) feed.remember();
    return pageBefore(pagesOf(ctx, channel, feed, limit, collapses), feed.lastSeq + 1);
  }
  const shown = messages.slice(-limit);
  const hasMore = hasOlder || messages.length > shown.length;
  const page = {
    messagesJson: `[${shown.map(({ json }) => json).join(",")}]`,
    reactedIds: shown.flatMap(({ id, reacted }) => (reacted === true ? [id] : [])),
    rootIds: shown.flatMap(({ id, threaded }) => (threaded === true ? [id] : [])),
    featuredIds: shown.flatMap(({ id, featured }) => (featured === true ? [id] : [])),
    count: shown.length,
    hasMore,
    nextBefore: hasMore ? (shown[0]?.id ?? null) : null,
    nextAfterSeq: null,
    lastSeq: feed.lastSeq,
    limit,
  };
  if (hides) memory.newestCollapsed = page;
  else memory.newestPage = page;
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

/** Returns the named messages, without a previous or next page. */
async function named(ctx: AppContext, pages: Pages, ids: readonly number[]): Promise<HistoryPage> {
  const rows = (await findMessages(ctx.db, [...new Set(ids)])).filter((row) => row.channel_id === pages.channel.id);
  const shown = rows.toSorted((one, other) => one.seq - other.seq);
  return pageOf({ ...pages, limit: ids.length }, shown, { hasMore: false, nextBefore: null, nextAfterSeq: null });
}
