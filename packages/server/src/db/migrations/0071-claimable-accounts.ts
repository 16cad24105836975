import type { Migration } from "./migration.ts";

/**
 * Accounts that an import made for people of the source (protocol §14.5). `claimable_accounts` has a row for each, also
 * after somebody has claimed it; `claim_links` has the link with which that is done, of which only a hash is stored.
 */
export const claimableAccounts: Migration = {
  name: "0071-claimable-accounts",
  async up({ columns: c, run }) {
    await run([
      `create table claimable_accounts (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        import_id ${c.integer} not null,
        claimed_at ${c.time}
      ) ${c.table}`,
      "create index claimable_unclaimed on claimable_accounts (import_id, user_id) where claimed_at is null",
      `create table claim_links (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        token_hash ${c.text} not null unique,
        created_at ${c.time} not null,
        expires_at ${c.time} not null
      ) ${c.table}`,
    ]);
  },
};
