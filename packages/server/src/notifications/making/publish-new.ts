import type { AppContext } from "../../context.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { shownNotifications } from "../list/list.store.ts";
import { notificationRecord } from "../list/notification-json.ts";
import { unreadWithinLimits } from "../list/notifications.service.ts";

/** Tells each user's sockets of their new notifications. Call inside `transact`. */
export async function publishNew(ctx: AppContext, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const now = ctx.clock.now();
  const rows = await shownNotifications(ctx.db, ids, now);
  const { counts, trimmed } = await unreadWithinLimits(ctx, [...new Set(rows.map(({ user_id }) => user_id))]);
  // Of very many at once, the oldest are gone already.
  for (const row of trimmed.length === 0 ? rows : await shownNotifications(ctx.db, ids, now)) {
    const data = { notification: notificationRecord(row), unread: counts.get(row.user_id) ?? 0 };
    publishEvent(ctx, userTopic(row.user_id), "notification:new", data);
  }
}
