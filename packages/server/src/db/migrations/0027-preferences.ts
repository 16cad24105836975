import type { Migration } from "./migration.ts";

/**
 * Notification settings of users, and how they arrange their channels: for each channel in its member row, which the list of channels
 * reads anyway, and for all of them in `user_preferences`. The index finds unread mentions; messages without one are not
 * in it, so sending them costs nothing more.
 */
export const preferences: Migration = {
  name: "0027-preferences",
  async up({ columns: c, run }) {
    await run([
      `create table user_preferences (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        notify_default ${c.text} not null default 'mentions',
        sorting ${c.text} not null default 'name'
      ) ${c.table}`,
      `alter table channel_members add column notify_level ${c.text}`,
      `alter table channel_members add column is_muted ${c.integer} not null default 0`,
      `alter table channel_members add column is_favourite ${c.integer} not null default 0`,
      `alter table channel_members add column section ${c.text}`,
    ]);
  },
  indexes: [{ name: "messages_with_mentions", on: "messages (channel_id, seq) where mentions is not null" }],
};
