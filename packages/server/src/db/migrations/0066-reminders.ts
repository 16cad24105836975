import type { Migration } from "./migration.ts";

/**
 * Reminders of messages (protocol §13.16). Their message and channel have no foreign keys, because the release before
 * deletes those without knowing of them. A reminder that is due becomes a row of `notifications` of the kind `notice`,
 * which that release shows; `reminded_id` is its message.
 */
export const reminders: Migration = {
  name: "0066-reminders",
  async up({ columns: c, run }) {
    await run([
      `create table reminders (
        id ${c.id},
        user_id ${c.integer} not null,
        message_id ${c.integer} not null,
        channel_id ${c.integer} not null,
        note ${c.text},
        remind_at ${c.time} not null,
        ${c.oneOf("status", ["waiting", "done", "ended"])},
        created_at ${c.time} not null,
        ended_at ${c.time}
      ) ${c.table}`,
      "create index reminders_due on reminders (remind_at) where ended_at is null",
      "create index reminders_ended on reminders (ended_at) where ended_at is not null",
      "create index reminders_of_user on reminders (user_id, remind_at)",
      `alter table notifications add column reminded_id ${c.integer}`,
    ]);
  },
  indexes: [{ name: "notifications_reminded", on: "notifications (reminded_id) where reminded_id is not null" }],
};
