import type { Notification } from "@parley/protocol/notifications";
import type { Channel } from "../../channels/channel.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import { effectiveDays } from "../../channels/retention/retention.ts";
import type { AppContext } from "../../context.ts";
import { hook } from "../../hook.ts";
import { type ShownRow, shownNotifications } from "../list/list.store.ts";
import { beginningOf, writerOf } from "../list/notification-json.ts";
import { notified } from "../making/rules.ts";
import { MISSED, unreadSince } from "./missed.store.ts";

/** Users who have an unread notification of something that was written to them. */
type OnMissed = (ctx: AppContext, userIds: readonly number[], now: number) => Promise<void>;

/** Called in the transaction that makes such notifications, after they were stored. */
export const onMissed = hook<OnMissed>();

/** Runs the hook for those of these notifications that a digest may list. */
export async function tellMissed(
  ctx: AppContext,
  rows: readonly { user_id: number; kind: string; read_at: number | null }[],
  now: number,
): Promise<void> {
  const missed = rows.filter(({ kind, read_at }) => read_at === null && MISSED.some((each) => each === kind));
  if (missed.length === 0) return;
  // The same order in all transactions prevents deadlocks.
  const userIds = [...new Set(missed.map(({ user_id }) => user_id))].sort((a, b) => a - b);
  for (const act of onMissed.of(ctx)) await act(ctx, userIds, now);
}

/** A message that a user has missed, as others may see it who read the user's mail. */
export interface Missed {
  messageId: number;
  from: Notification["from"];
  /** Epoch milliseconds. */
  at: number;
  /** The beginning of the text; null if the user did not choose texts, or if this one must not leave the server. */
  text: string | null;
}

/** The messages that a user has missed in a channel, the oldest first. */
export interface MissedPlace {
  channel: Channel;
  messages: Missed[];
}

/**
 * Returns what a user has missed since then, decided again from the database: unread messages that were written to them,
 * which exist, which they may read, in channels that are not muted, from people whom they have not blocked. Of more than
 * `limit` messages only the newest. `withTexts`: the user chose texts.
 */
export async function missedSince(
  ctx: AppContext,
  { userId, since, limit, withTexts }: { userId: number; since: number; limit: number; withTexts: boolean },
): Promise<MissedPlace[]> {
  const ids = await unreadSince(ctx.db, { userId, since, limit });
  if (ids.length === 0) return [];
  const rows = await shownNotifications(ctx.db, ids, ctx.clock.now());
  const places: MissedPlace[] = [];
  for (const [channelId, those] of Map.groupBy(rows, ({ channel_id }) => channel_id)) {
    const channel = await findChannel(ctx, { id: channelId });
    if (channel === null) continue;
    const candidates = those.map((row) => ({ userId, sender: senderKey(row), row }));
    const wanted = await notified(ctx, channel, candidates);
    if (wanted.length === 0) continue;
    const messages = wanted.map(({ row }) => ({
      messageId: row.message_id,
      from: writerOf(row),
      at: row.created_at,
      text: withTexts && mayLeave(ctx, channel, row) ? beginningOf(row) : null,
    }));
    places.push({ channel, messages });
  }
  return places;
}

/**
 * Returns whether the text of a message may go to places from which it cannot be called back, such as a mail: not if it is
 * to vanish from the channel some day, nor if others pay for reading it.
 */
function mayLeave({ config }: AppContext, channel: Channel, { expires_at }: ShownRow): boolean {
  return channel.price === null && effectiveDays(config, channel.retention_days) === null && expires_at === null;
}

const senderKey = ({ from_user_id, from_agent_id }: ShownRow): string =>
  from_user_id === null ? `a${from_agent_id}` : `u${from_user_id}`;
