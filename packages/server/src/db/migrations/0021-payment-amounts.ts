import type { Migration } from "./migration.ts";

/**
 * Gives challenges a price and a unique amount above it. Payments can be bound by that amount and fetched again by a
 * token (payments.ts).
 */
export const paymentAmounts: Migration = {
  name: "0021-payment-amounts",
  async up({ columns: c, run }) {
    const binding = c.oneOf("new_binding", ["signature", "reference", "profile", "amount", "none"]);
    await run([
      `alter table payment_challenges add column price ${c.text} not null default '0'`,
      "update payment_challenges set price = amount",
      `alter table payment_challenges add column revealed_at ${c.time}`,
      // Until its challenge is deleted, an exact amount belongs to one caller, despite any concurrency on any node.
      `create unique index payment_challenges_exact on payment_challenges
        (chain, chain_id, recipient, coalesce(token_address, ''), amount) where amount <> price`,
      "create index payment_challenges_by_principal on payment_challenges (principal, created_at) where used_by is null",
      // SQLite cannot change a column's check, so the column is replaced.
      `alter table payments add column ${binding.replace("not null ", "")}`,
      "update payments set new_binding = binding",
      "alter table payments drop column binding",
      "alter table payments rename column new_binding to binding",
      `alter table payments add column refetch_hash ${c.text}`,
    ]);
  },
};
