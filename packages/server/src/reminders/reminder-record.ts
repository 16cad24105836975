import type { Reminder, ReminderStatus } from "@parley/protocol/reminders";
import { isoTime } from "../base/iso-time.ts";
import { beginningOf, writerOf } from "../notifications/list/notification-json.ts";
import type { ShownRow } from "./reminders.store.ts";

/** Returns the wire record (protocol §13.16). It says nothing of a message that the user may not read now. */
export function reminderRecord(row: ShownRow, status: ReminderStatus = row.status): Reminder {
  const mayRead = row.readable === 1;
  return {
    reminder_id: row.id,
    message_id: row.message_id,
    channel_id: row.channel_id,
    channel_slug: mayRead ? row.slug : null,
    note: row.note,
    remind_at: isoTime(row.remind_at),
    status,
    from: mayRead ? writerOf(row) : null,
    text: mayRead ? beginningOf(row) : null,
    created_at: isoTime(row.created_at),
  };
}
