import { LRUCache } from "lru-cache";
import { type AppContext, perServer } from "../../context.ts";
import type { Span } from "../../event-log/span.ts";
import { queuePushes } from "../push/queue.ts";
import { blocksOf, hasSubscriptions, wantingAll } from "./recipients.store.ts";
import { type NewestRow, newestOfSenders } from "./spans.store.ts";

const CHANNELS_KEPT = 10_000;
/** How long a change of a level may take to count for push messages of every message. */
const KEPT_MS = 30_000;

/** The users who want every message of a channel pushed, so that busy channels are not searched for them each time. */
const wanting = perServer(
  () => new LRUCache<number, { userIds: readonly number[]; until: number }>({ max: CHANNELS_KEPT }),
);

/** Queues push messages for users whose level is `all`: the newest message of the span by somebody else. */
export async function pushesToEverybody(ctx: AppContext, spans: readonly Span[]): Promise<void> {
  if (!ctx.config.push) return;
  const wanted: Span[] = [];
  for (const span of spans) if ((await wantingIn(ctx, span.channelId)).length > 0) wanted.push(span);
  if (wanted.length === 0) return;
  const newest = Map.groupBy(await newestOfSenders(ctx.db, wanted), ({ channel_id }) => channel_id);
  for (const [channelId, rows] of newest) {
    const userIds = await wantingIn(ctx, channelId);
    const blocks = await blocksOf(ctx.db, userIds, rows.map(senderOf));
    const pushes = userIds.flatMap((userId) => {
      const heard = rows.filter((row) => row.user_id !== userId && !blocks.has(`${userId} ${senderOf(row)}`));
      const last = heard.toSorted((a, b) => b.seq - a.seq)[0];
      return last === undefined
        ? []
        : [{ user_id: userId, channel_id: channelId, message_id: last.id, seq: last.seq, isAny: true }];
    });
    await queuePushes(ctx, pushes, ctx.clock.now());
  }
}

const senderOf = ({ user_id, agent_id }: NewestRow): string => (user_id === null ? `a${agent_id}` : `u${user_id}`);

async function wantingIn(ctx: AppContext, channelId: number): Promise<readonly number[]> {
  const kept = wanting(ctx).get(channelId);
  const now = ctx.clock.monotonic();
  if (kept !== undefined && kept.until > now) return kept.userIds;
  const userIds = (await hasSubscriptions(ctx.db)) ? await wantingAll(ctx.db, channelId) : [];
  wanting(ctx).set(channelId, { userIds, until: now + KEPT_MS });
  return userIds;
}
