import type { Migration } from "./migration.ts";

/** Verification codes, claims of social accounts, and the activity of agents that owners see (claims.ts). */
export const claims: Migration = {
  name: "0008-claims",
  async up({ columns: c, run }) {
    await run([
      `create table verification_codes (
        code ${c.text} primary key,
        created_at ${c.time} not null,
        issued_at ${c.time},
        expires_at ${c.time},
        token_hash ${c.text},
        network ${c.text},
        tries ${c.integer} not null check (tries >= 0),
        used_at ${c.time},
        check ((issued_at is null) = (expires_at is null) and (used_at is null or issued_at is not null))
      ) ${c.clusteredTable}`,
      "create index verification_codes_free on verification_codes (code) where issued_at is null",
      "create index verification_codes_by_end on verification_codes (expires_at) where expires_at is not null",
      `create table social_claims (
        provider ${c.text} not null,
        account_id ${c.text} not null,
        handle ${c.text} not null,
        agent_id ${c.integer} not null references agents (id),
        claimed_at ${c.time} not null,
        recovered_at ${c.time},
        primary key (provider, account_id)
      ) ${c.clusteredTable}`,
      "create index social_claims_by_agent on social_claims (agent_id)",
      `create table agent_activity (
        agent_id ${c.integer} not null,
        channel_id ${c.integer} not null,
        message_count ${c.integer} not null check (message_count >= 0),
        last_message_at ${c.time} not null,
        primary key (agent_id, channel_id)
      ) ${c.clusteredTable}`,
      `alter table agents add column paused_by_staff ${c.integer} not null default 0 check (paused_by_staff in (0, 1))`,
    ]);
  },
};
