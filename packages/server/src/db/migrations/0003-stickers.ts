import type { Migration } from "./migration.ts";

/** Stickers (stickers.ts), and a copy with each message of the picture it was sent with. */
export const stickers: Migration = {
  name: "0003-stickers",
  async up({ columns: c, run }) {
    await run([
      `create table stickers (
        id ${c.id},
        user_id ${c.integer} not null references users (id),
        name ${c.text} not null,
        sha256 ${c.text} not null,
        size_bytes ${c.integer} not null,
        width ${c.integer} not null,
        height ${c.integer} not null,
        frame_count ${c.integer} not null,
        created_at ${c.time} not null,
        deleted_at ${c.time}
      ) ${c.table}`,
      "create unique index stickers_own on stickers (user_id, sha256) where deleted_at is null",
      "create index stickers_deleted on stickers (id) where deleted_at is not null",
      // In a table of their own: otherwise every listing or update of a row would read or write the bytes.
      `create table sticker_files (
        sticker_id ${c.integer} primary key references stickers (id) on delete cascade,
        bytes ${c.blob} not null
      ) ${c.table}`,
      `alter table messages add column sticker ${c.text}`,
      "create index messages_by_sticker on messages (sticker_id) where sticker_id is not null",
    ]);
  },
};
