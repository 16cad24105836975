import type { Migration } from "./migration.ts";

/** The contents of notifications of the kind `notice`, which have no message. */
export const notices: Migration = {
  name: "0036-notices",
  async up({ columns: c, run }) {
    await run([`alter table notifications add column notice ${c.text}`]);
  },
};
