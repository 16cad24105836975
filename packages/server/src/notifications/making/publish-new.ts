import type { AppContext } from "../../context.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { shownNotifications, unreadCounts } from "../list/list.store.ts";
import { notificationRecord } from "../list/notification-json.ts";

/** Tells each user's sockets of their new notifications. Call inside `transact`. */
export async function publishNew(ctx: AppContext, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const now = ctx.clock.now();
  const rows = await shownNotifications(ctx.db, ids, now);
  const unread = await unreadCounts(ctx.db, [...new Set(rows.map(({ user_id }) => user_id))], now);
  for (const row of rows) {
    const data = { notification: notificationRecord(row), unread: unread.get(row.user_id) ?? 0 };
    publishEvent(ctx, userTopic(row.user_id), "notification:new", data);
  }
}
