import type { Migration } from "./migration.ts";

/** Proofs that a wallet belongs to its user (wallets.ts). Addresses already in profiles are not proven. */
export const wallets: Migration = {
  name: "0011-wallets",
  async up({ columns: c, run }) {
    await run([
      `alter table users add column evm_proven_at ${c.time}`,
      `alter table users add column sol_proven_at ${c.time}`,
      // If two accounts have one address, it is proven only for the latest to prove it.
      "create unique index users_proven_evm on users (evm_address) where evm_proven_at is not null",
      "create unique index users_proven_sol on users (sol_address) where sol_proven_at is not null",
      `create table wallet_challenges (
        id ${c.id},
        user_id ${c.integer} not null references users (id),
        ${c.oneOf("chain", ["evm", "solana"])},
        address ${c.text} not null,
        message ${c.text} not null,
        expires_at ${c.time} not null,
        used_at ${c.time}
      ) ${c.table}`,
      "create index wallet_challenges_by_end on wallet_challenges (expires_at)",
      "create index wallet_challenges_by_user on wallet_challenges (user_id)",
    ]);
  },
};
