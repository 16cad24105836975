import type { Notification, NotificationsQuery, ReadNotificationsBody } from "@parley/protocol/notifications";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type BeforePage, pageBefore } from "../../http/pages.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import * as store from "./list.store.ts";
import { notificationRecord } from "./notification-json.ts";

/** Returns a page of the caller's notifications, newest first (protocol §13.5). */
export async function ownNotifications(
  ctx: AppContext,
  { userId }: UserIdentity,
  { unread: isUnread = false, before, limit }: NotificationsQuery,
): Promise<BeforePage & { notifications: Notification[]; unread: number }> {
  const now = ctx.clock.now();
  const filter = { userId, now, unread: isUnread, before };
  const { shown, ...page } = await pageBefore(limit, (rows) => store.listNotifications(ctx.db, filter, rows));
  return { notifications: shown.map(notificationRecord), unread: await unreadOf(ctx, userId), ...page };
}

/** Returns how many notifications of the user are unread. */
export async function unreadOf(ctx: AppContext, userId: number): Promise<number> {
  return (await store.unreadCounts(ctx.db, [userId], ctx.clock.now())).get(userId) ?? 0;
}

/** What was marked, as the response and the event show it. */
interface Marked {
  up_to_id: number | null;
  ids: number[] | null;
  unread: number;
}

/**
 * Marks the caller's notifications as read, up to one or by their ids, and tells all their sockets. Ids that are not
 * theirs are ignored. Errors: `invalid_request` unless exactly one of the two is given.
 */
export function markOwnNotifications(
  ctx: AppContext,
  { userId }: UserIdentity,
  { up_to_id, ids }: ReadNotificationsBody,
): Promise<Marked> {
  if ((up_to_id === undefined) === (ids === undefined)) {
    throw fail("invalid_request", { details: [{ path: "up_to_id", message: "send either up_to_id or ids" }] });
  }
  return transact(ctx, async (ctx) => {
    const which = ids === undefined ? { upTo: up_to_id ?? 0 } : { ids };
    const marked = await store.markNotifications(ctx.db, userId, which, ctx.clock.now());
    const unread = await unreadOf(ctx, userId);
    const answer = { up_to_id: up_to_id ?? null, ids: ids === undefined ? null : ids, unread };
    if (marked.length > 0) publishEvent(ctx, userTopic(userId), "notification:read", answer);
    return answer;
  });
}

/** Tells the sockets of each user which of their notifications were read or are gone. Call inside `transact`. */
export async function publishGone(ctx: AppContext, gone: readonly store.Gone[]): Promise<void> {
  if (gone.length === 0) return;
  const byUser = Map.groupBy(gone, ({ user_id }) => user_id);
  const unread = await store.unreadCounts(ctx.db, [...byUser.keys()], ctx.clock.now());
  for (const [userId, rows] of byUser) {
    const data = { up_to_id: null, ids: rows.map(({ id }) => id), unread: unread.get(userId) ?? 0 };
    publishEvent(ctx, userTopic(userId), "notification:read", data);
  }
}
