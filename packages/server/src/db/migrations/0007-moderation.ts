import type { Migration } from "./migration.ts";

/** Bans (moderation.ts); an append-only audit log, indexed by actor, action and subject; purged channels. */
export const moderation: Migration = {
  name: "0007-moderation",
  async up({ columns: c, run }) {
    await run([
      `create table channel_bans (
        channel_id ${c.integer} not null references channels (id) on delete cascade,
        member_key ${c.text} not null,
        user_id ${c.integer} references users (id) on delete cascade,
        agent_id ${c.integer} references agents (id) on delete cascade,
        banned_by ${c.text} not null,
        reason ${c.text},
        until ${c.time},
        created_at ${c.time} not null,
        primary key (channel_id, member_key),
        check ((user_id is null) <> (agent_id is null))
      ) ${c.clusteredTable}`,
      "create index channel_bans_by_user on channel_bans (user_id) where user_id is not null",
      "create index channel_bans_by_agent on channel_bans (agent_id) where agent_id is not null",
      "create index channel_bans_by_end on channel_bans (until) where until is not null",
      "create index audit_log_by_actor on audit_log (lower(actor), id)",
      "create index audit_log_by_action on audit_log (action, id)",
      "create index audit_log_by_subject on audit_log (subject, id)",
      ...c.appendOnly("audit_log"),
      `alter table channels add column purged_at ${c.time}`,
      "create index channels_to_purge on channels (deleted_at) where deleted_at is not null and purged_at is null",
    ]);
  },
};
