import type { Migration } from "./migration.ts";

/**
 * Known browsers, security notices and blocks (tables/accounts.ts). Email addresses stop being unique: a unique address
 * tells strangers who has an account (protocol §2), and nothing verifies addresses yet.
 */
export const accountSecurity: Migration = {
  name: "0023-account-security",
  async up({ columns: c, run }) {
    await run([
      "drop index users_email_key",
      "alter table users drop column email_key",
      `create table login_devices (
        id ${c.id},
        user_id ${c.integer} not null references users (id) on delete cascade,
        token_hash ${c.text} not null,
        user_agent ${c.text},
        created_at ${c.time} not null,
        last_used_at ${c.time} not null
      ) ${c.table}`,
      "create unique index login_devices_token_hash on login_devices (token_hash)",
      "create index login_devices_by_user on login_devices (user_id, last_used_at)",
      `create table security_notices (
        id ${c.id},
        user_id ${c.integer} not null references users (id) on delete cascade,
        kind ${c.text} not null,
        ${c.oneOf("actor", ["self", "administrator", "operator"])},
        actor_id ${c.integer} references users (id),
        details ${c.text} not null,
        created_at ${c.time} not null,
        dismissed_at ${c.time}
      ) ${c.table}`,
      "create index security_notices_by_user on security_notices (user_id, id)",
      `create table user_blocks (
        blocker_id ${c.integer} not null references users (id) on delete cascade,
        blocked_key ${c.text} not null,
        user_id ${c.integer} references users (id) on delete cascade,
        agent_id ${c.integer} references agents (id) on delete cascade,
        created_at ${c.time} not null,
        primary key (blocker_id, blocked_key),
        check ((user_id is null) <> (agent_id is null))
      ) ${c.clusteredTable}`,
      "create index user_blocks_of_user on user_blocks (user_id) where user_id is not null",
    ]);
  },
};
