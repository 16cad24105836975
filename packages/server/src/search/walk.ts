import type { Channel } from "../channels/channel-cache.ts";
import type { AppContext } from "../context.ts";
import { searchIndex, type Term } from "../db/search-index.ts";
import type { MessageRow } from "../messages/record.ts";
import { findTerms, type Range } from "./query.ts";
import { liveMessages } from "./search.store.ts";

export interface Walk {
  /** What the text must contain. */
  terms: readonly Term[];
  /** What else the index must say of the message. */
  also: readonly string[];
  /** Message id, exclusive. */
  before: number | undefined;
  limit: number;
  /** The channel, if this caller may read it. */
  readable(channelId: number): Channel | null | Promise<Channel | null>;
  /** Tokens of the only channels that can be readable; null: too many to name. Asked when many were passed over. */
  narrow(): Promise<readonly string[] | null>;
}

export interface Hit {
  row: MessageRow;
  channel: Channel;
  /** Where the terms stand in the content. */
  highlights: Range[];
}

export interface HitPage {
  /** Newest first. */
  hits: Hit[];
  hasMore: boolean;
  nextBefore: number | null;
}

/** A page is answered with what was found when it took this long: who pages on goes on where it stopped. */
const BUDGET_MS = 250;
/** So many passed over as not the caller's are a reason to ask which channels can be. */
const PASSED_MAX = 300;
const PASSING_BATCH = 200;

/**
 * Walks the index from the newest message to older ones until the page is full. What the index names is looked at as it is now: a text
 * that no longer matches, and a channel that the caller may not read, do not count.
 */
export async function walkIndex(ctx: AppContext, walk: Walk): Promise<HitPage> {
  const { limit, terms } = walk;
  const also = walk.also.map((token): Term => ({ tokens: [token], isPrefix: false }));
  const query = {
    terms: [...also, ...terms],
    anyOf: [] as readonly string[],
    below: walk.before ?? Number.MAX_SAFE_INTEGER,
  };
  const hits: Hit[] = [];
  const started = ctx.clock.monotonic();
  for (let passed = 0, isNarrow = false; ; ) {
    const wanted = passed === 0 ? limit + 1 - hits.length : PASSING_BATCH;
    const ids = await searchIndex(ctx.db).find(ctx.db, { ...query, limit: wanted });
    const found = await look(ctx, walk, ids);
    hits.push(...found);
    if (hits.length > limit) return pageOf(hits.slice(0, limit), hits[limit - 1]?.row.id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < wanted) return pageOf(hits, undefined);
    query.below = last;
    if (ctx.clock.monotonic() - started > BUDGET_MS) return pageOf(hits, last);
    passed += ids.length - found.length;
    if (passed > PASSED_MAX && !isNarrow) {
      isNarrow = true;
      const scope = await walk.narrow();
      if (scope?.length === 0) return pageOf(hits, undefined);
      query.anyOf = scope ?? [];
    }
    // Others' requests have their turn between two statements.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const pageOf = (hits: Hit[], nextBefore: number | undefined): HitPage => ({
  hits,
  hasMore: nextBefore !== undefined,
  nextBefore: nextBefore ?? null,
});

async function look(ctx: AppContext, walk: Walk, ids: readonly number[]): Promise<Hit[]> {
  if (ids.length === 0) return [];
  const hits: Hit[] = [];
  for (const row of await liveMessages(ctx.db, ids)) {
    const readable = walk.readable(row.channel_id);
    const channel = readable instanceof Promise ? await readable : readable;
    const highlights = channel === null ? null : findTerms(walk.terms, row.content);
    if (channel !== null && highlights !== null) hits.push({ row, channel, highlights });
  }
  return hits;
}
