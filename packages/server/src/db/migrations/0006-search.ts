import type { Migration } from "./migration.ts";

/** Cursors of the message consumers, and the word index that one of them maintains. */
export const search: Migration = {
  name: "0006-search",
  async up({ columns: c, run }) {
    await run([
      `create table channel_cursors (
        purpose ${c.text} not null,
        channel_id ${c.integer} not null,
        seq ${c.integer} not null check (seq > 0),
        primary key (purpose, channel_id)
      ) ${c.clusteredTable}`,
      ...c.wordIndex("message_words"),
    ]);
  },
};
