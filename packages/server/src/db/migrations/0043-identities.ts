import type { Migration } from "./migration.ts";

/**
 * Logins with an OpenID Connect provider: the provider's accounts, the sessions that began with one, and what may be
 * used only once. Rows of `identity_sessions` end with their session.
 */
export const identities: Migration = {
  name: "0043-identities",
  async up({ columns: c, run }) {
    await run([
      `create table identities (
        id ${c.id},
        user_id ${c.integer} not null references users (id) on delete cascade,
        issuer ${c.text} not null,
        subject ${c.text} not null,
        label ${c.text},
        created_at ${c.time} not null,
        last_login_at ${c.time}
      ) ${c.table}`,
      "create unique index identities_subject on identities (issuer, subject)",
      "create index identities_by_user on identities (user_id, id)",
      `create table identity_sessions (
        session_id ${c.integer} primary key references sessions (id) on delete cascade,
        identity_id ${c.integer} not null references identities (id) on delete cascade,
        provider_session ${c.text}
      ) ${c.table}`,
      "create index identity_sessions_by_identity on identity_sessions (identity_id)",
      "create index identity_sessions_by_provider on identity_sessions (provider_session) where provider_session is not null",
      `create table used_once (
        hash ${c.text} primary key,
        expires_at ${c.time} not null
      ) ${c.table}`,
      "create index used_once_by_expiry on used_once (expires_at)",
    ]);
  },
};
