import type { Migration } from "./migration.ts";

/**
 * Messages that users have saved (protocol §13.14), and where forwarded messages came from (§13.15). Messages have no
 * foreign keys to them, because the release before deletes messages without knowing of these rows. A row whose message
 * is gone shows nothing.
 */
export const savedAndForwards: Migration = {
  name: "0065-saved-and-forwards",
  async up({ columns: c, run }) {
    await run([
      `create table saved_messages (
        id ${c.id},
        user_id ${c.integer} not null,
        message_id ${c.integer} not null,
        created_at ${c.time} not null,
        unique (user_id, message_id)
      ) ${c.table}`,
      "create index saved_of_user on saved_messages (user_id, id)",
      "create index saved_of_message on saved_messages (message_id)",
      `create table forwards (
        message_id ${c.integer} primary key,
        source_message_id ${c.integer} not null,
        source_channel_id ${c.integer} not null
      ) ${c.table}`,
    ]);
  },
};
