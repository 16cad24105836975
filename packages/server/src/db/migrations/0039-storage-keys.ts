import type { Migration } from "./migration.ts";

/**
 * Bytes of files get a key of their own each time they are stored, and a list of keys to remove: a removal that was
 * delayed must not hit bytes that were stored again. Without a key, the hash is the key.
 */
export const storageKeys: Migration = {
  name: "0039-storage-keys",
  async up({ columns: c, run }) {
    await run([
      `alter table file_blobs add column storage_key ${c.text}`,
      `create table file_removals (
        storage_key ${c.text} primary key,
        created_at ${c.time} not null
      ) ${c.table}`,
      "create index file_removals_by_age on file_removals (created_at)",
    ]);
  },
};
