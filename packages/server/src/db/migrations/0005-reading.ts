import type { Migration } from "./migration.ts";

/** Read positions of members, and direct conversations. Existing members are assumed to have read everything. */
export const reading: Migration = {
  name: "0005-reading",
  async up({ columns: c, run }) {
    await run([
      `alter table channel_members add column last_read_seq ${c.integer} not null default 0 check (last_read_seq >= 0)`,
      "update channel_members set last_read_seq = (select last_seq from channels where id = channel_members.channel_id)",
      `create table direct_channels (
        low_user_id ${c.integer} not null references users (id),
        high_user_id ${c.integer} not null references users (id),
        channel_id ${c.integer} not null references channels (id) on delete cascade,
        low_closed_seq ${c.integer},
        high_closed_seq ${c.integer},
        primary key (low_user_id, high_user_id),
        check (low_user_id < high_user_id)
      ) ${c.clusteredTable}`,
      "create unique index direct_channels_channel on direct_channels (channel_id)",
      "create index direct_channels_by_high on direct_channels (high_user_id)",
    ]);
  },
};
