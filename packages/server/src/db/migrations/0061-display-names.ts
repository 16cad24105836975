import type { Migration } from "./migration.ts";

/**
 * Display names and statuses of users, and the beginnings by which a display name is found. Only users who have one of
 * them have a row, so that accounts without are read as before. The release before shows neither.
 */
export const displayNames: Migration = {
  name: "0061-display-names",
  async up({ columns: c, run }) {
    await run([
      `create table shown_profiles (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        display_name ${c.text},
        status_emoji ${c.text},
        status_text ${c.text},
        status_until ${c.time}
      ) ${c.table}`,
      `create table display_name_keys (
        user_id ${c.integer} not null references users (id) on delete cascade,
        find_key ${c.text} not null,
        primary key (user_id, find_key)
      ) ${c.table}`,
      "create index display_name_keys_by_key on display_name_keys (find_key, user_id)",
    ]);
  },
};
