import type { NoticeCode } from "@parley/protocol/notifications";
import { findUnclaimed } from "../../accounts/claimable/unclaimed.ts";
import type { NewNotice } from "../../accounts/notices.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import type { Gone } from "../list/list.store.ts";
import type { StoredNotice } from "../list/notification-json.ts";
import { publishGone, publishNew } from "../list/notifications.service.ts";
import { trimSoon } from "../list/trim.ts";
import { insertNotifications, type NewNotification } from "../making/making.store.ts";
import { blocksOf } from "../making/recipients.store.ts";
import { queuePushes } from "../push/queue.ts";

/** An unread notice is not repeated within this time: nobody's phone rings for a role that is toggled all day. */
const SAME_MS = 60 * 60 * 1_000;
const RANDOM_MAX = 2 ** 47;

/** The code is first, so that a beginning finds all of a code. */
const stored = ({ code, channel, messageId, subject, detail, sessionId }: NewNotice): string =>
  JSON.stringify({
    code,
    subject: subject ?? channel?.name ?? null,
    detail: detail ?? null,
    channel_id: channel?.id ?? null,
    message_id: messageId ?? null,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  } satisfies StoredNotice);

/** Puts a notice of another slice into the user's list. Accounts that nobody has claimed yet get none. */
export async function addNotice(ctx: AppContext, userId: number, input: NewNotice): Promise<void> {
  const now = ctx.clock.now();
  const notice = stored(input);
  if (await findUnclaimed(ctx.db, userId)) return;
  if (input.by !== undefined && (await blocksOf(ctx.db, [userId], [`u${input.by.userId}`])).size > 0) return;
  if (input.isOnce !== true && (await hasSameNotice(ctx.db, userId, notice, now - SAME_MS))) return;
  const rows = await insertNotifications(ctx.db, [{ ...newSubject(ctx, userId, input.by?.userId ?? null), notice }]);
  await queuePushes(
    ctx,
    rows.map((row) => ({ ...row, isAny: false })),
    now,
  );
  trimSoon(ctx, rows);
  await publishNew(
    ctx,
    rows.map(({ id }) => id),
  );
}

/**
 * Returns the row of a notification that is of no message, without its contents. `byUserId` limits how many of one
 * person's acts are listed; nobody sees it.
 */
export function newSubject(ctx: AppContext, userId: number, byUserId: number | null): NewNotification {
  const now = ctx.clock.now();
  return {
    user_id: userId,
    kind: "notice",
    about: "message",
    channel_id: 0,
    message_id: -1 - ctx.clock.randomBelow(RANDOM_MAX),
    // Pushes show the newest of a place.
    seq: now,
    thread_root_id: null,
    from_user_id: byUserId,
    from_agent_id: null,
    from_name: null,
    reaction: null,
    read_at: null,
    created_at: now,
  };
}

/** Marks the notices of a code as read, or those that only say this code and this message. */
export async function readNotices(
  ctx: AppContext,
  userId: number,
  code: NoticeCode,
  messageId?: number,
): Promise<void> {
  const beginning = messageId === undefined ? `{"code":"${code}",` : stored({ code, messageId });
  await publishGone(ctx, await markNoticesRead(ctx.db, userId, beginning, ctx.clock.now()));
}

/** Returns true if the user has an unread notice of the same text since then. */
async function hasSameNotice(db: Db, userId: number, notice: string, since: number): Promise<boolean> {
  const row = await db
    .selectFrom("notifications")
    .select("id")
    .where("user_id", "=", userId)
    .where("channel_id", "=", 0)
    .where("read_at", "is", null)
    .where("notice", "=", notice)
    .where("created_at", ">", since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks a user's notices of a code as read; returns those that were not. `beginning`: that of their JSON. */
export function markNoticesRead(db: Db, userId: number, beginning: string, now: number): Promise<Gone[]> {
  return db
    .updateTable("notifications")
    .set({ read_at: now })
    .where("user_id", "=", userId)
    .where("channel_id", "=", 0)
    .where("read_at", "is", null)
    .where("notice", "like", `${beginning}%`)
    .returning(["id", "user_id"])
    .execute();
}
