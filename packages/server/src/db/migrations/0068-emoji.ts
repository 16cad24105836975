import type { Migration } from "./migration.ts";

/**
 * Emoji of the server (protocol §13.17). `emoji_changes` has one row, which those who add emoji hold while they count
 * them.
 */
export const emoji: Migration = {
  name: "0068-emoji",
  async up({ columns: c, run }) {
    await run([
      `create table emoji (
        id ${c.id},
        name ${c.text} not null,
        name_key ${c.text} not null unique,
        user_id ${c.integer},
        mime_type ${c.text} not null,
        etag ${c.text} not null,
        size_bytes ${c.integer} not null,
        width ${c.integer} not null,
        height ${c.integer} not null,
        ${c.flag("is_animated")},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create index emoji_by_user on emoji (user_id, id) where user_id is not null",
      // In a table of their own: otherwise every listing would read the bytes.
      `create table emoji_files (
        emoji_id ${c.integer} primary key references emoji (id) on delete cascade,
        bytes ${c.blob} not null
      ) ${c.table}`,
      `create table emoji_changes (
        id ${c.integer} primary key,
        changes ${c.integer} not null
      ) ${c.table}`,
      "insert into emoji_changes (id, changes) values (0, 0)",
    ]);
  },
};
