import { notePurged } from "../channels/retention/purged.ts";
import { keptWith } from "../channels/retention/removable.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { appendEvents, tryLockChannel } from "../event-log/events.ts";
import { forgetEvents, orphanedEvents } from "../event-log/gone-events.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import { channelState, insertEvents, newestMessageId } from "../event-log/rows.ts";
import { rememberKeys } from "../messages/append/spent-keys.ts";
import { keepTombstones, removeMessages, removeToTombstones } from "../messages/removal.ts";
import { publishControl } from "../realtime/control/control.ts";
import { rootsThatStay } from "./aged.store.ts";
import { expiredAmong, expiredMessages } from "./expired.store.ts";

/** Messages in one pass. */
const ROWS = 500;

/**
 * Removes expired messages of channels that are not held (protocol §13.8): clients receive `message:delete`, and the
 * row goes for good. Their places in the log keep a `message:delete`, so that a resume across them has no gap. Returns
 * whether more may be left.
 */
export async function expirePass(ctx: AppContext): Promise<boolean> {
  const found = await expiredMessages(ctx.db, ctx.clock.now(), ROWS);
  const byChannel = Map.groupBy(found, ({ channel_id }) => channel_id);
  for (const [channelId, rows] of byChannel) {
    const ids = rows.map(({ id }) => id);
    const first = await transact(ctx, (ctx) => expire(ctx, channelId, ids));
    if (first !== undefined) await forgetOrphans(ctx, channelId, first);
  }
  return found.length === ROWS;
}

/** Removes these messages if they are expired under the lock. Returns the seq of the first. */
async function expire(ctx: AppContext, channelId: number, ids: readonly number[]): Promise<number | undefined> {
  // A deleted channel cannot be locked. It has no readers and gets no events, but its messages expire.
  await tryLockChannel(ctx, channelId);
  const rows = await expiredAmong(ctx.db, ids, ctx.clock.now());
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const stays = await thoseThatStay(ctx, rows);
  const gone = rows.filter(({ id }) => !stays.has(id));
  const shown = rows.filter(({ deleted_at }) => deleted_at === null);
  await removeMessages(ctx, channelId, idsOf(gone));
  await removeToTombstones(ctx, channelId, idsOf(shown.filter(({ id }) => stays.has(id))));
  await rememberKeys(ctx, gone);
  await insertEvents(ctx.db, gone.map(placeholder));
  if (first.is_live === 1 && shown.length > 0) await announce(ctx, channelId, first.slug, shown);
  await notePurged(ctx, channelId, { messages: gone.length, before: null });
  // The event leaves tombstones in the memories of the feeds.
  publishControl(ctx, "history_rewritten", { channelId, seq: last.seq });
  return first.seq;
}

/** Returns which of the messages only lose their content: roots of threads, and the newest message of all channels. */
async function thoseThatStay(ctx: AppContext, rows: readonly MessageRow[]): Promise<ReadonlySet<number>> {
  const roots = await rootsThatStay(ctx.db, idsOf(rows), { below: 0, kept: keptWith(ctx, true) });
  await keepTombstones(ctx, [...roots]);
  const newest = await newestMessageId(ctx.db);
  return roots.add(newest);
}

const idsOf = (rows: readonly MessageRow[]): number[] => rows.map(({ id }) => id);

/** Takes the place of a message in the log. */
const placeholder = ({ id, channel_id, seq, created_at }: MessageRow) => ({
  channel_id,
  seq,
  event: "message:delete",
  message_id: id,
  data: JSON.stringify({ message_id: id }),
  created_at,
});

async function announce(
  ctx: AppContext,
  channelId: number,
  channelSlug: string,
  rows: readonly MessageRow[],
): Promise<void> {
  const deleted_at = ctx.clock.now();
  const events = rows.map((row) => ({
    event: "message:delete" as const,
    data: { message_id: row.id },
    message: {
      row: { ...row, content: "", pinned_at: null, pinned_by: null, pinned_agent_id: null, deleted_at },
      channelSlug,
    },
  }));
  await appendEvents(ctx, channelId, events);
}

/** Seqs looked through at once. */
const SEQS = 2_000;

/**
 * Empties the events after `from` about messages that were removed: edits, pins and reactions keep only their number
 * and the message's id. Nobody reads them before that, either: such events are sent as `message:delete` (`loadEvents`).
 */
export async function forgetOrphans(ctx: AppContext, channelId: number, from: number): Promise<void> {
  const upTo = (await channelState(ctx.db, channelId))?.last_seq ?? 0;
  for (let after = from; after < upTo; after += SEQS) {
    const found = await orphanedEvents(ctx.db, channelId, { after, upTo: Math.min(after + SEQS, upTo) });
    if (found.length > 0) await transact(ctx, (ctx) => forgetEvents(ctx.db, channelId, found));
    // A synchronous database would otherwise never yield to the event loop.
    await new Promise(setImmediate);
  }
}
