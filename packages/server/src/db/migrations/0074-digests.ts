import type { Migration } from "./migration.ts";

/**
 * Mails that list what a user missed (protocol §13.5): when the next one is due, when the last one was sent, and the token
 * with which the user ends them. `user_preferences` has what the user chose.
 */
export const digests: Migration = {
  name: "0074-digests",
  async up({ columns: c, run }) {
    await run([
      `alter table user_preferences add column digest ${c.text} not null default 'away'`,
      `alter table user_preferences add column mail_previews ${c.integer} not null default 0`,
      `create table digests (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        token ${c.text} not null unique,
        pending ${c.integer} not null,
        since ${c.time} not null,
        due_at ${c.time} not null,
        sent_at ${c.time}
      ) ${c.table}`,
      "create index digests_due on digests (due_at) where pending = 1",
    ]);
  },
};
