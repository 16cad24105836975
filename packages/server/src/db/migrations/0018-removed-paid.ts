import type { Migration } from "./migration.ts";

/** Delisted resources, for people who have paid for them (payments.ts). */
export const removedPaid: Migration = {
  name: "0018-removed-paid",
  async up({ columns: c, run }) {
    await run([
      `create table removed_paid_resources (
        id ${c.id},
        path ${c.text} not null,
        description ${c.text},
        media_type ${c.text} not null,
        amount ${c.text} not null,
        currency ${c.text} not null,
        chain_id ${c.integer} not null,
        removed_at ${c.time} not null,
        body ${c.blob} not null
      ) ${c.table}`,
      "create index removed_paid_resources_by_path on removed_paid_resources (path, removed_at)",
    ]);
  },
};
