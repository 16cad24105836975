import type { Migration } from "./migration.ts";

/** Deleted accounts, their names, and the progress of their erasure (privacy.ts). */
export const privacy: Migration = {
  name: "0012-privacy",
  async up({ columns: c, run }) {
    await run([
      `alter table users add column erased_at ${c.time}`,
      `create table retired_names (
        name_hash ${c.text} primary key,
        retired_at ${c.time} not null
      ) ${c.clusteredTable}`,
      `create table erasures (
        user_id ${c.integer} primary key references users (id),
        username ${c.text} not null,
        started_at ${c.time} not null,
        step ${c.text} not null,
        place_a ${c.integer} not null,
        place_b ${c.integer} not null
      ) ${c.table}`,
      // Finds a user's rows without reading everybody's.
      "create index stickers_by_user on stickers (user_id)",
      "create index reports_by_reporter on reports (reporter_id)",
      // The actor and the details may be anonymized, but only while an account is being erased; the rest of a row never
      // changes.
      ...c.rewritable("audit_log", ["id", "action", "subject", "created_at"], "exists (select 1 from erasures)"),
    ]);
  },
};
