import type { AppContext } from "../../context.ts";
import { queueRows, subscriptionsOf } from "./queue.store.ts";

/** How long a user has to read a message before it is pushed. */
export const WAIT_MS = 10_000;
/** The kinds of notifications that are pushed. */
export const PUSHED: readonly string[] = ["mention", "direct", "thread_reply", "card", "notice"];

/** Something to be pushed to all browsers of a user. */
export interface Push {
  user_id: number;
  channel_id: number;
  message_id: number;
  seq: number;
  /** Absent: a message of a channel whose level is `all`. */
  kind?: string;
  isAny: boolean;
}

/**
 * Queues pushes in the caller's transaction: the newest message for each browser and channel. `since`: the time of the
 * notifications.
 */
export async function queuePushes(ctx: AppContext, pushes: readonly Push[], since: number): Promise<void> {
  if (!ctx.config.push) return;
  const newest = new Map<string, Push>();
  for (const push of pushes) {
    if (push.kind !== undefined && !PUSHED.includes(push.kind)) continue;
    const key = `${push.user_id}:${push.channel_id}`;
    if (push.seq > (newest.get(key)?.seq ?? 0)) newest.set(key, push);
  }
  if (newest.size === 0) return;
  const userIds = [...new Set([...newest.values()].map(({ user_id }) => user_id))];
  const browsers = Map.groupBy(await subscriptionsOf(ctx.db, userIds), ({ user_id }) => user_id);
  const rows = [...newest.values()].flatMap(({ user_id, channel_id, message_id, seq, isAny }) =>
    (browsers.get(user_id) ?? []).map(({ id }) => ({
      subscription_id: id,
      channel_id,
      user_id,
      message_id,
      seq,
      is_any: Number(isAny),
      since,
      due_at: since + WAIT_MS,
    })),
  );
  await queueRows(ctx.db, rows);
}
