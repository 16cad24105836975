import type { Migration } from "./migration.ts";

/**
 * Threads: what a message says about the replies to it, an index of the replies, and who follows. Only replies are in the
 * index. The release before this one shows replies as ordinary messages.
 */
export const threads: Migration = {
  name: "0031-threads",
  async up({ columns: c, run }) {
    await run([
      `alter table messages add column thread ${c.text}`,
      `create table thread_follows (
        user_id ${c.integer} not null references users (id),
        root_id ${c.integer} not null,
        channel_id ${c.integer} not null,
        is_following ${c.integer} not null,
        last_read_seq ${c.integer} not null,
        primary key (user_id, root_id)
      ) ${c.clusteredTable}`,
      "create index thread_follows_root on thread_follows (root_id, user_id)",
    ]);
  },
  indexes: [{ name: "messages_thread", on: "messages (thread_root_id, seq) where thread_root_id is not null" }],
};
