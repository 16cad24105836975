import type { Channel } from "../channels/channel.ts";
import type { AppContext } from "../context.ts";
import type { Millis } from "../db/columns.ts";
import { searchIndex } from "../db/search-index/index-of-database.ts";
import type { Term } from "../db/search-index/search-index.ts";
import { type IdRange, idsWithin } from "../event-log/first-since.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { searchedText } from "./index/message-index.ts";
import { findTerms, type Range } from "./query.ts";
import { liveMessages } from "./search.store.ts";

export interface Walk {
  /** The terms that the text must contain. */
  terms: readonly Term[];
  /** Further tokens that the index must have for the message. */
  also: readonly string[];
  /** Message id, exclusive. */
  before: number | undefined;
  /** Only messages sent at this time or later. */
  since?: Millis | undefined;
  /** Only messages sent before this time. */
  until?: Millis | undefined;
  limit: number;
  /** What else must hold for a message. */
  fits?(row: MessageRow): boolean;
  /** The channel, if this caller may read it. */
  readable(channelId: number): Channel | null | Promise<Channel | null>;
  /**
   * Returns the tokens of the only channels that can be readable; null when there are too many. Called after many hits
   * were skipped.
   */
  narrow(): Promise<readonly string[] | null>;
}

export interface Hit {
  row: MessageRow;
  channel: Channel;
  /** The places of the terms in the content; terms may also be in the names and descriptions of files. */
  highlights: Range[];
}

export interface HitPage {
  /** Newest first. The next page may have newer ones, if there are imports. */
  hits: Hit[];
  hasMore: boolean;
  nextBefore: number | null;
}

/** The time budget of a page, after which it is returned with the hits so far; the next page continues there. */
const BUDGET_MS = 250;
/** The number of unreadable hits after which the search is narrowed to readable channels. */
const PASSED_MAX = 300;
const PASSING_BATCH = 200;

/** The clocks of nodes differ by less: the order of ids finds the day, and the time of each message decides. */
const SLACK_MS = 60_000;

/**
 * Walks the index from the newest message to older ones until the page is full. Each hit is checked against its current
 * state: a text that no longer matches, or a channel that the caller may not read, is skipped.
 */
export async function walkIndex(ctx: AppContext, walk: Walk): Promise<HitPage> {
  const { limit, terms } = walk;
  const also = walk.also.map((token): Term => ({ tokens: [token], isPrefix: false }));
  const ranges = await rangesOf(ctx, walk);
  const lowest = ranges.at(-1)?.from ?? 0;
  const query = { terms: [...also, ...terms], anyOf: [] as readonly string[], below: ranges[0]?.below ?? 0 };
  const hits: Hit[] = [];
  const started = ctx.clock.monotonic();
  for (let passed = 0, isNarrow = false; ; ) {
    const wanted = passed === 0 ? limit + 1 - hits.length : PASSING_BATCH;
    const all = await searchIndex(ctx.db).find(ctx.db, { ...query, limit: wanted });
    const ids = all.filter((id) => id >= lowest);
    const found = await look(ctx, walk, ids.length === 0 ? ids : ids.filter((id) => isIn(ranges, id)));
    hits.push(...found);
    if (hits.length > limit) return pageOf(hits.slice(0, limit), hits[limit - 1]?.row.id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < wanted) return pageOf(hits, undefined);
    query.below = nextBelow(ranges, last);
    if (ctx.clock.monotonic() - started > BUDGET_MS) return pageOf(hits, last);
    passed += ids.length - found.length;
    if (passed > PASSED_MAX && !isNarrow) {
      isNarrow = true;
      const scope = await walk.narrow();
      if (scope?.length === 0) return pageOf(hits, undefined);
      query.anyOf = scope ?? [];
    }
    // Yields to other requests between two statements.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns the ids to look at, the highest first; below `before`. */
async function rangesOf(ctx: AppContext, { since, until, before = Number.MAX_SAFE_INTEGER }: Walk): Promise<IdRange[]> {
  const from = since === undefined ? undefined : since - SLACK_MS;
  const ranges = await idsWithin(ctx.db, from, until === undefined ? undefined : until + SLACK_MS);
  return ranges.flatMap((range) =>
    range.from < before ? [{ from: range.from, below: Math.min(range.below, before) }] : [],
  );
}

const isIn = (ranges: readonly IdRange[], id: number): boolean =>
  ranges.some(({ from, below }) => id >= from && id < below);

/** Returns below which id the walk goes on: it leaps over ids that no range has. */
const nextBelow = (ranges: readonly IdRange[], last: number): number =>
  isIn(ranges, last - 1) ? last : (ranges.find(({ below }) => below <= last)?.below ?? last);

const isWithin = ({ since, until }: Walk, { created_at: at }: MessageRow): boolean =>
  (since === undefined || at >= since) && (until === undefined || at < until);

/** The messages of an import are older than others with lower ids, so a page is ordered by the times. */
const pageOf = (hits: Hit[], nextBefore: number | undefined): HitPage => ({
  hits: hits.toSorted(({ row: one }, { row: other }) => other.created_at - one.created_at || other.id - one.id),
  hasMore: nextBefore !== undefined,
  nextBefore: nextBefore ?? null,
});

async function look(ctx: AppContext, walk: Walk, ids: readonly number[]): Promise<Hit[]> {
  if (ids.length === 0) return [];
  const hits: Hit[] = [];
  for (const row of await liveMessages(ctx.db, ids)) {
    if (!isWithin(walk, row) || walk.fits?.(row) === false) continue;
    const readable = walk.readable(row.channel_id);
    const channel = readable instanceof Promise ? await readable : readable;
    const found = channel === null ? null : findTerms(walk.terms, searchedText(row));
    if (channel === null || found === null) continue;
    const highlights = found.filter(({ offset, length }) => offset + length <= row.content.length);
    hits.push({ row, channel, highlights });
  }
  return hits;
}
