import { NOTIFICATIONS_PER_SENDER, NOTIFICATIONS_PER_USER } from "@parley/protocol/limits";
import type { Notification, NotificationsQuery, ReadNotificationsBody } from "@parley/protocol/notifications";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type BeforePage, pageBefore } from "../../http/pages.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import * as store from "./list.store.ts";
import { shownNotifications } from "./list.store.ts";
import { notificationRecord } from "./notification-json.ts";
import * as trimming from "./trim.store.ts";

/**
 * Deletes the oldest notifications of these users' lists that are above the limits, first those of senders who caused
 * too many: a stranger who mentions somebody a thousand times does not push out what others wrote. Returns the users
 * who lost some.
 */
export async function keepWithinLimits(ctx: AppContext, userIds: readonly number[]): Promise<number[]> {
  const trimmed: number[] = [];
  const lists = Map.groupBy(await trimming.sizesBySender(ctx.db, userIds), ({ user_id }) => user_id);
  for (const [userId, senders] of lists) {
    const crowding = senders.filter(({ size }) => size > NOTIFICATIONS_PER_SENDER);
    const rest = senders.reduce((sum, { size }) => sum + Math.min(size, NOTIFICATIONS_PER_SENDER), 0);
    if (crowding.length === 0 && rest <= NOTIFICATIONS_PER_USER) continue;
    trimmed.push(userId);
    await transact(ctx, async (ctx) => {
      const gone: store.Gone[] = [];
      for (const sender of crowding)
        gone.push(...(await trimming.deleteOldest(ctx.db, userId, sender, NOTIFICATIONS_PER_SENDER)));
      gone.push(...(await trimming.deleteOldest(ctx.db, userId, null, NOTIFICATIONS_PER_USER)));
      await publishGone(ctx, gone);
    });
  }
  return trimmed;
}

/**
 * Returns the number of unread notifications by user; a user without one is missing. A list is trimmed in the
 * background, so this trims a list first that may be above a limit: the number is never larger than the list. `trimmed`
 * names the users who lost notifications that way.
 */
export async function unreadWithinLimits(
  ctx: AppContext,
  userIds: readonly number[],
): Promise<{ counts: Map<number, number>; trimmed: number[] }> {
  const now = ctx.clock.now();
  const counts = await store.unreadCounts(ctx.db, userIds, now);
  const many = [...counts].flatMap(([userId, count]) => (count > NOTIFICATIONS_PER_SENDER ? [userId] : []));
  const trimmed = many.length === 0 ? [] : await keepWithinLimits(ctx, many);
  for (const userId of trimmed) counts.delete(userId);
  const left = trimmed.length === 0 ? [] : await store.unreadCounts(ctx.db, trimmed, now);
  return { counts: new Map([...counts, ...left]), trimmed };
}

/** Returns a page of the caller's notifications, newest first (protocol §13.5). */
export async function ownNotifications(
  ctx: AppContext,
  { userId }: UserIdentity,
  { unread: isUnread = false, waiting = false, before, limit }: NotificationsQuery,
): Promise<BeforePage & { notifications: Notification[]; unread: number }> {
  await keepWithinLimits(ctx, [userId]);
  const now = ctx.clock.now();
  const filter = { userId, now, unread: isUnread, waiting, before };
  const { shown, ...page } = await pageBefore(limit, (rows) => store.listNotifications(ctx.db, filter, rows));
  return { notifications: shown.map(notificationRecord), unread: await unreadOf(ctx, userId), ...page };
}

/** Returns how many notifications of the user are unread. */
export async function unreadOf(ctx: AppContext, userId: number): Promise<number> {
  return (await unreadWithinLimits(ctx, [userId])).counts.get(userId) ?? 0;
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
  const { counts } = await unreadWithinLimits(ctx, [...byUser.keys()]);
  for (const [userId, rows] of byUser) {
    const data = { up_to_id: null, ids: rows.map(({ id }) => id), unread: counts.get(userId) ?? 0 };
    publishEvent(ctx, userTopic(userId), "notification:read", data);
  }
}

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
