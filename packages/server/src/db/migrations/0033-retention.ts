import type { Migration } from "./migration.ts";

/**
 * For how long channels keep messages, holds, and what was removed so far. `spent_keys` remembers the `client_msg_id` of
 * expired messages, hashed, so that a late retry does not send one again. Messages that never expire are not in the
 * index. To the release before this one expiring messages are ordinary ones, and every channel keeps its messages.
 */
export const retention: Migration = {
  name: "0033-retention",
  async up({ columns: c, run }) {
    await run([
      `alter table channels add column retention_days ${c.integer}`,
      `alter table channels add column keep_pinned ${c.integer} not null default 1`,
      `alter table channels add column held_until ${c.time}`,
      `alter table channels add column hold_reason ${c.text}`,
      `alter table channels add column purged_messages ${c.integer} not null default 0`,
      `alter table channels add column purged_before ${c.time}`,
      `create table spent_keys (
        key_hash ${c.text} primary key,
        client_hash ${c.text},
        message_id ${c.integer} not null,
        seq ${c.integer} not null,
        sent_at ${c.time} not null,
        expired_at ${c.time} not null
      ) ${c.clusteredTable}`,
      "create index spent_keys_by_age on spent_keys (expired_at)",
    ]);
  },
  indexes: [{ name: "messages_expiring", on: "messages (expires_at) where expires_at is not null" }],
};
