import type { Migration } from "./migration.ts";

/**
 * What a message can carry besides its text: its thread, its files, and when it disappears. The release before this one
 * shows such messages as ordinary ones.
 */
export const rooms: Migration = {
  name: "0030-rooms",
  async up({ columns: c, run }) {
    await run([
      `alter table messages add column thread_root_id ${c.integer}`,
      `alter table messages add column also_in_channel ${c.integer} not null default 0`,
      `alter table messages add column files ${c.text}`,
      `alter table messages add column expires_at ${c.time}`,
    ]);
  },
};
