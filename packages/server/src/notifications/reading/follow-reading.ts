import { startBackgroundJob } from "../../base/background-job.ts";
import { onRead, type ReadPlace } from "../../channels/reading/reading.service.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { type Gone, markReadInChannels, markReadInThreads } from "../list/list.store.ts";
import { publishGone } from "../list/notifications.service.ts";

const EVERY_MS = 300;
const AT_ONCE = 256;

/** Places whose notifications may have been read; the marks are in the database. */
const moved = perServer(() => new Map<string, ReadPlace>());

const keyOf = ({ userId, channelId, rootId }: ReadPlace): string => `${userId}:${channelId}:${rootId ?? ""}`;

/**
 * Marks notifications as read when their users have read the channels, shortly after and in batches: the read marks of a
 * busy channel must not wait for it. The marks in the database decide, so a later or repeated look does no harm.
 */
export function startFollowingReading(ctx: AppContext): void {
  const places = moved(ctx);
  ctx.onClose(onRead(ctx, (place) => void places.set(keyOf(place), place)));
  startBackgroundJob(ctx, EVERY_MS, "marking notifications as read failed", () => markRead(ctx));
}

/**
 * Looks at these places again after the commit: their users may have read them while the notifications were being
 * stored, when nothing was to be marked yet.
 */
export function noteReadingSoon(
  ctx: AppContext,
  rows: readonly { user_id: number; channel_id: number; thread_root_id: number | null }[],
): void {
  ctx.afterCommit(() => {
    const places = moved(ctx.root);
    for (const { user_id: userId, channel_id: channelId, thread_root_id: rootId } of rows) {
      const place = { userId, channelId, rootId };
      places.set(keyOf(place), place);
    }
  });
}

async function markRead(ctx: AppContext): Promise<void> {
  const places = moved(ctx);
  const batch = [...places].slice(0, AT_ONCE);
  if (batch.length === 0) return;
  for (const [key] of batch) places.delete(key);
  try {
    await markPlaces(
      ctx,
      batch.map(([, place]) => place),
    );
  } catch (error) {
    for (const [key, place] of batch) places.set(key, place);
    throw error;
  }
}

/** Marks what is read in these places, or in others of the same users, channels and threads. */
export function markPlaces(ctx: AppContext, places: readonly ReadPlace[]): Promise<readonly Gone[]> {
  return transact(ctx, async (ctx) => {
    const userIds = [...new Set(places.map(({ userId }) => userId))];
    const channelIds = [...new Set(places.flatMap(({ channelId, rootId }) => (rootId === null ? [channelId] : [])))];
    const rootIds = [...new Set(places.flatMap(({ rootId }) => rootId ?? []))];
    const now = ctx.clock.now();
    const gone = [
      ...(channelIds.length === 0 ? [] : await markReadInChannels(ctx.db, { userIds, channelIds }, now)),
      ...(rootIds.length === 0 ? [] : await markReadInThreads(ctx.db, { userIds, rootIds }, now)),
    ];
    await publishGone(ctx, gone);
    return gone;
  });
}
