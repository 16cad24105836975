import type { Migration } from "./migration.ts";

/** Mutes of users who have left a channel, so that leaving and returning does not end a mute (moderation.ts). */
export const keptMutes: Migration = {
  name: "0017-kept-mutes",
  async up({ columns: c, run }) {
    await run([
      `create table kept_mutes (
        channel_id ${c.integer} not null references channels (id) on delete cascade,
        user_id ${c.integer} not null references users (id) on delete cascade,
        muted_until ${c.time} not null,
        primary key (channel_id, user_id)
      ) ${c.clusteredTable}`,
      "create index kept_mutes_by_user on kept_mutes (user_id)",
    ]);
  },
};
