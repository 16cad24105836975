import type { Migration } from "./migration.ts";

/** What a notification of the kind `notice` says. */
export const notices: Migration = {
  name: "0040-notices",
  async up({ columns: c, run }) {
    await run([`alter table notifications add column notice ${c.text}`]);
  },
};
