import type { Migration } from "./migration.ts";

/**
 * Second factors and passkeys. A secret of an authenticator app without `confirmed_at` waits for its first code.
 * `last_step` is the last 30 seconds whose code was used: a code counts once. Recovery codes and ids of challenges are
 * stored as hashes.
 */
export const secondFactors: Migration = {
  name: "0044-second-factors",
  async up({ columns: c, run }) {
    await run([
      `create table totp_secrets (
        user_id ${c.integer} primary key references users (id),
        secret ${c.text} not null,
        last_step ${c.integer} not null,
        created_at ${c.time} not null,
        confirmed_at ${c.time}
      ) ${c.table}`,
      `create table recovery_codes (
        user_id ${c.integer} not null references users (id),
        code_hash ${c.text} not null,
        primary key (user_id, code_hash)
      ) ${c.clusteredTable}`,
      `create table login_challenges (
        id ${c.id},
        id_hash ${c.text} not null unique,
        user_id ${c.integer} not null references users (id),
        password_mark ${c.text} not null,
        tries ${c.integer} not null,
        expires_at ${c.time} not null
      ) ${c.table}`,
      "create index login_challenges_by_user on login_challenges (user_id, id)",
      "create index login_challenges_by_expiry on login_challenges (expires_at)",
      `create table passkeys (
        id ${c.id},
        user_id ${c.integer} not null references users (id),
        credential_id ${c.text} not null unique,
        public_key ${c.text} not null,
        counter ${c.integer} not null,
        transports ${c.text} not null,
        name ${c.text} not null,
        ${c.flag("is_synced")},
        created_at ${c.time} not null,
        last_used_at ${c.time}
      ) ${c.table}`,
      "create index passkeys_by_user on passkeys (user_id, id)",
      `create table passkey_challenges (
        id ${c.id},
        challenge ${c.text} not null unique,
        user_id ${c.integer} references users (id),
        expires_at ${c.time} not null
      ) ${c.table}`,
      "create index passkey_challenges_by_user on passkey_challenges (user_id)",
      "create index passkey_challenges_by_expiry on passkey_challenges (expires_at)",
    ]);
  },
};
