import type { AppContext } from "../../context.ts";
import type { StoredReminder } from "../list/notification-json.ts";
import { publishNew } from "../list/notifications.service.ts";
import { trimSoon } from "../list/trim.ts";
import { insertNotifications } from "../making/making.store.ts";
import { queuePushes } from "../push/queue.ts";
import { newSubject } from "./notices.ts";

/** A reminder that is due, of a message that its user may read now. */
export interface DueReminder {
  id: number;
  user_id: number;
  message_id: number;
  channel_id: number;
  note: string | null;
}

/**
 * Puts reminders into the lists of their users (protocol §13.5, §13.16), in the caller's transaction. A row is of the kind
 * `notice`, so that reading the channel does not read it, muting does not hide it, and a node of the release before shows
 * a notice; `reminded_id` makes it a reminder, which is visible only while the user may read the message.
 */
export async function addReminders(ctx: AppContext, reminders: readonly DueReminder[]): Promise<void> {
  if (reminders.length === 0) return;
  const now = ctx.clock.now();
  const rows = await insertNotifications(
    ctx.db,
    reminders.map(({ id, user_id, message_id, channel_id, note }) => ({
      ...newSubject(ctx, user_id, null),
      reminded_id: message_id,
      notice: JSON.stringify({
        code: "reminder",
        subject: null,
        detail: note,
        channel_id,
        message_id,
        reminder_id: id,
      } satisfies StoredReminder),
    })),
  );
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
