import { DELETED_USER } from "@parley/protocol/privacy";
import type { AppContext } from "../context.ts";
import { type ErasedUser, type ErasingStep, withoutName } from "../erasure.ts";
import { isSpan } from "../event-log/event-spans.ts";
import { tryLockChannel } from "../event-log/events.ts";
import { eventsBehind, newestMessageId, rewriteEvent } from "../event-log/rows.ts";
import { publishControl } from "../realtime/control/control.ts";
import { disownMessages, type TracedMessage, tracesIn } from "./erase.store.ts";
import { updateMessage } from "./messages.store.ts";
import { recount } from "./threads/summaries.ts";

/** Rows per step. There is no index on the author: it would slow down every send, and this is rare. */
const MESSAGES = 1_000;
const EVENTS = 500;

/**
 * Scans all messages. The user's own stay, anonymized: nothing shows any more which of them had the same author. In
 * messages of others the name stays in the text they wrote, but the mention is removed; the label replaces it in pins
 * and on the user's stickers. No events are published, because that would be one per message the user ever sent;
 * affected feeds are reloaded.
 */
export const eraseMessages: ErasingStep = async (ctx, user, { a: after }) => {
  const newest = await newestMessageId(ctx.db);
  if (after >= newest) return null;
  const upTo = Math.min(after + MESSAGES, newest);
  const read = await tracesIn(ctx.db, user, after, upTo);
  await lockChannels(ctx, user.userId, read);
  // A press may have changed a card before its channel was locked.
  const found = read.some(({ card }) => card !== null) ? await tracesIn(ctx.db, user, after, upTo) : read;
  const own = found.filter(({ user_id }) => user_id === user.userId);
  if (own.length > 0) await disown(ctx, user.userId, own, { after, upTo });
  // A forward holds its source until the copy is stored, so `disown` has waited for it. A later one finds the label.
  const late = own.length === 0 ? [] : await tracesIn(ctx.db, user, after, upTo);
  const known = new Set(found.map(({ id }) => id));
  const all = [...found, ...late.filter(({ id }) => !known.has(id))];
  for (const row of all) await rewriteMessage(ctx, user, row);
  announceRewritten(ctx, all);
  return { a: upTo, b: 0 };
};

/**
 * Locks the channels of the user's replies and of cards, as all who change such messages do. Nobody replies or presses in
 * a deleted channel.
 */
async function lockChannels(ctx: AppContext, userId: number, rows: readonly TracedMessage[]): Promise<void> {
  const changed = rows.filter((row) => row.card !== null || (row.user_id === userId && row.thread_root_id !== null));
  const channelIds = [...new Set(changed.map(({ channel_id }) => channel_id))].sort((a, b) => a - b);
  for (const channelId of channelIds) await tryLockChannel(ctx, channelId);
}

/** Removes the author from the user's messages of the range, and the name from the threads in which they replied. */
async function disown(
  ctx: AppContext,
  userId: number,
  own: readonly TracedMessage[],
  range: { after: number; upTo: number },
): Promise<void> {
  const replies = own.filter(({ thread_root_id }) => thread_root_id !== null);
  await disownMessages(ctx.db, userId, DELETED_USER, range);
  for (const rootId of new Set(replies.map(({ thread_root_id }) => thread_root_id ?? 0))) await recount(ctx.db, rootId);
}

async function rewriteMessage(ctx: AppContext, { userId, username }: ErasedUser, row: TracedMessage): Promise<void> {
  const mentions = row.mentions === null ? null : withoutName(row.mentions, username);
  const sticker = row.sticker === null ? null : withoutName(row.sticker, username);
  const files = row.files === null || row.user_id !== userId ? null : withoutName(row.files, username);
  const card = row.card === null ? null : withoutName(row.card, username);
  const change = {
    ...(card === null ? {} : { card }),
    ...(files === null ? {} : { files }),
    ...(mentions === null ? {} : { mentions: mentions === "[]" ? null : mentions }),
    ...(sticker === null ? {} : { sticker }),
    ...(row.pinned_by === username ? { pinned_by: DELETED_USER } : {}),
  };
  if (Object.keys(change).length > 0) await updateMessage(ctx.db, row.id, change);
}

/** Tells the feeds of every node up to which seq each channel was rewritten. */
function announceRewritten(ctx: AppContext, rows: readonly { channel_id: number; seq: number }[]): void {
  const upTo = new Map<number, number>();
  for (const { channel_id, seq } of rows) upTo.set(channel_id, Math.max(seq, upTo.get(channel_id) ?? 0));
  for (const [channelId, seq] of upTo) publishControl(ctx, "history_rewritten", { channelId, seq });
}

/**
 * Scans all other durable events for the name: reactions, pins, channel owners. Spans read their contents from other
 * tables, where the label has already replaced the name; only feeds that cache them must be reloaded.
 */
export const eraseEvents: ErasingStep = async (ctx, { username }, { a: channelId, b: seq }) => {
  const rows = await eventsBehind(ctx.db, channelId, seq, EVENTS);
  const rewritten = rows.flatMap((row) => {
    const data = withoutName(row.data, username);
    return data === null ? [] : [{ ...row, data }];
  });
  for (const row of rewritten) await rewriteEvent(ctx.db, row);
  announceRewritten(ctx, [...rewritten, ...rows.filter(({ event }) => isSpan(event))]);
  const last = rows.at(-1);
  return last === undefined ? null : { a: last.channel_id, b: last.seq };
};
