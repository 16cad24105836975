import type { Migration } from "./migration.ts";

/**
 * From which message on a member, or a follower of a thread, has marked it as unread; null: they have not. The read marks
 * stay where they are. The release before does not know it: what is read there stays marked until it is read here.
 */
export const unreadFrom: Migration = {
  name: "0060-unread-from",
  async up({ columns: c, run }) {
    await run([
      `alter table channel_members add column unread_from_seq ${c.integer}`,
      `alter table thread_follows add column unread_from_seq ${c.integer}`,
    ]);
  },
};
