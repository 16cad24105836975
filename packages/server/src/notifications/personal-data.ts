import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { type PageAfter, pagedList, wholeList, withTimes } from "../user-export.ts";
import { deleteOfUser } from "./list/list.store.ts";
import { ownSubscriptions } from "./push/subscriptions.service.ts";
import { deleteSubscriptionsOf } from "./push/subscriptions.store.ts";

interface ExportedNotification {
  id: number;
  kind: string;
  channel_id: number;
  message_id: number;
  notice: string | null;
  read_at: number | null;
  created_at: number;
}

function notificationsAfter(
  db: Db,
  { userId, last, limit }: PageAfter<ExportedNotification>,
): Promise<ExportedNotification[]> {
  return db
    .selectFrom("notifications")
    .select(["id", "kind", "channel_id", "message_id", "notice", "read_at", "created_at"])
    .where("user_id", "=", userId)
    .where("id", ">", last?.id ?? 0)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** A notice's own ids replace those of a message, which it has not. */
function notificationRecord({ id, notice, ...row }: ExportedNotification): object {
  const more = notice === null ? {} : { channel_id: null, message_id: null, ...(JSON.parse(notice) as object) };
  return { notification_id: id, ...withTimes(row), ...more };
}

export const exportNotifications = pagedList(notificationsAfter, notificationRecord);

export const exportSubscriptions = wholeList(async (ctx, caller) =>
  (await ownSubscriptions(ctx, caller)).map(({ is_current: _, ...subscription }) => subscription),
);

const ROWS = 500;

/** Deletes the user's notifications and push subscriptions, and others' notifications of the user's reactions. */
export const eraseNotifications: ErasingStep = async (ctx, { userId }, from) => {
  await deleteSubscriptionsOf(ctx.db, userId);
  const deleted = await deleteOfUser(ctx.db, userId, ROWS);
  return deleted < ROWS ? null : from;
};
