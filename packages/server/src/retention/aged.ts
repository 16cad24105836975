import { notePurged } from "../channels/retention/purged.ts";
import { type Kept, keptWith } from "../channels/retention/removable.ts";
import { effectiveDays, keptSince } from "../channels/retention/retention.ts";
import type { AppContext } from "../context.ts";
import type { Millis } from "../db/columns.ts";
import { transact } from "../db/transact.ts";
import { appendEvent, tryLockChannel } from "../event-log/events.ts";
import { firstSeqSince } from "../event-log/first-since.ts";
import { deleteEventsBefore, hasEventBefore } from "../event-log/gone-events.ts";
import { newestMessageId } from "../event-log/rows.ts";
import { removeMessages, removeToTombstones } from "../messages/removal.ts";
import {
  type AgedRow,
  agedMessages,
  type LimitedChannel,
  limitedChannel,
  limitedChannels,
  nextId,
  rootsThatStay,
} from "./aged.store.ts";
import { forgetOrphans } from "./expired.ts";

/** Messages, and other events, in one transaction. */
const ROWS = 1_000;
const CHANNELS = 500;

/**
 * Removes what is older than the limits of the channels (protocol §13.8), once, in transactions of at most 1,000
 * messages. Yields after each, with the number of messages that it removed, so that the caller can rest. Each
 * transaction is complete in itself: after a crash the next pass continues.
 */
export async function* agedPass(ctx: AppContext): AsyncGenerator<number, void> {
  const all = effectiveDays(ctx.config, null) !== null;
  for (let after = 0; ; ) {
    const page = await limitedChannels(ctx.db, { after, all, now: ctx.clock.now(), limit: CHANNELS }).execute();
    for (const channel of page) yield* channelPass(ctx, channel);
    if (page.length < CHANNELS) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** The limit of one channel in a pass. */
interface Limit {
  days: number;
  /** Older messages go. */
  cutoff: Millis;
  /** The first seq whose message is younger. */
  below: number;
}

async function* channelPass(ctx: AppContext, channel: LimitedChannel): AsyncGenerator<number, void> {
  const days = effectiveDays(ctx.config, channel.retention_days);
  if (days === null) return;
  const cutoff = keptSince(ctx.clock.now(), days);
  const below = await firstSeqSince(ctx.db, channel.id, channel.last_seq, cutoff);
  const limit = { days, cutoff, below };
  if (!(await hasWork(ctx, channel, limit))) return;
  let first: number | undefined;
  for (let after = 0; ; ) {
    const step = await transact(ctx, (ctx) => purgeStep(ctx, channel.id, limit, after));
    if (step === null) break;
    first ??= step.firstSeq;
    yield step.removed;
    if (step.isLast) break;
    after = step.upTo;
  }
  if (first !== undefined) await forgetOrphans(ctx, channel.id, first);
}

/** Looks without a lock: an ordinary pass changes nothing in nearly all channels. */
async function hasWork(ctx: AppContext, channel: LimitedChannel, { below, cutoff }: Limit): Promise<boolean> {
  const kept = keptWith(ctx, channel.keep_pinned === 1);
  const range = { channelId: channel.id, after: 0, below };
  const [found] = await agedMessages(ctx.db, range, { kept, limit: 1 });
  return found !== undefined || (await hasEventBefore(ctx.db, channel.id, cutoff));
}

interface Step {
  removed: number;
  /** The seq of the first message it removed. */
  firstSeq: number | undefined;
  /** Everything up to here is done. */
  upTo: number;
  isLast: boolean;
}

/** Removes one step's messages and events; null if the channel is now held, deleted, or keeps its messages longer. */
async function purgeStep(ctx: AppContext, channelId: number, limit: Limit, after: number): Promise<Step | null> {
  if (!(await tryLockChannel(ctx, channelId))) return null;
  const channel = await limitedChannel(ctx.db, channelId, ctx.clock.now());
  const days = channel === undefined ? null : effectiveDays(ctx.config, channel.retention_days);
  if (channel === undefined || days === null || days > limit.days) return null;
  const kept = keptWith(ctx, channel.keep_pinned === 1);
  const rows = await agedMessages(ctx.db, { channelId, after, below: limit.below }, { kept, limit: ROWS });
  const isEnd = rows.length < ROWS;
  const upTo = isEnd ? limit.below - 1 : (rows.at(-1)?.seq ?? after);
  const removed = await removeAged(ctx, channelId, rows, { below: limit.below, kept });
  const eventsTo = isEnd ? Number.MAX_SAFE_INTEGER : upTo;
  const events = await deleteEventsBefore(ctx.db, channelId, { upTo: eventsTo, before: limit.cutoff, limit: ROWS });
  if (removed.length > 0) await announce(ctx, channelId, removed, { upTo, before: limit.cutoff });
  return { removed: removed.length, firstSeq: removed[0]?.seq, upTo, isLast: isEnd && events < ROWS };
}

/**
 * Removes rows, or their content if the row is still needed: the root of a thread that goes on, and the newest message
 * of all, because SQLite would use its id again. Returns the rows that changed.
 */
async function removeAged(
  ctx: AppContext,
  channelId: number,
  rows: readonly AgedRow[],
  staying: { below: number; kept: Kept },
): Promise<AgedRow[]> {
  if (rows.length === 0) return [];
  const roots = await rootsThatStay(
    ctx.db,
    rows.map(({ id }) => id),
    staying,
  );
  const newest = await newestMessageId(ctx.db);
  const stays = ({ id }: AgedRow) => id === newest || roots.has(id);
  const gone = rows.filter((row) => !stays(row));
  const blanked = rows.filter((row) => stays(row) && row.deleted_at === null);
  await removeMessages(ctx, channelId, idsOf(gone));
  await removeToTombstones(ctx, channelId, idsOf(blanked));
  return rows.filter((row) => gone.includes(row) || blanked.includes(row));
}

const idsOf = (rows: readonly AgedRow[]): number[] => rows.map(({ id }) => id);

async function announce(
  ctx: AppContext,
  channelId: number,
  removed: readonly AgedRow[],
  { upTo, before }: { upTo: number; before: Millis },
): Promise<void> {
  await notePurged(ctx, channelId, { messages: removed.length, before });
  const next = (await nextId(ctx.db, channelId, upTo)) ?? (removed.at(-1)?.id ?? 0) + 1;
  await appendEvent(ctx, channelId, "history:purged", { data: { before_message_id: next } });
}
