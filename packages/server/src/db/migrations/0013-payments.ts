import type { Migration } from "./migration.ts";

/** Payment challenges, payments, and resources for sale (payments.ts). */
export const payments: Migration = {
  name: "0013-payments",
  async up({ columns: c, run }) {
    const optional = (column: string, values: readonly string[]): string =>
      c.oneOf(column, values).replace("not null ", "");
    await run([
      `create table payment_challenges (
        payment_id ${c.text} primary key,
        resource ${c.text} not null,
        principal ${c.text} not null,
        ${c.oneOf("chain", ["evm", "solana"])},
        chain_id ${c.integer} not null,
        currency ${c.text} not null,
        token_address ${c.text},
        recipient ${c.text} not null,
        amount ${c.text} not null,
        created_at ${c.time} not null,
        expires_at ${c.time} not null,
        used_by ${c.integer}
      ) ${c.table}`,
      "create index payment_challenges_open on payment_challenges (resource, principal, created_at) where used_by is null",
      "create index payment_challenges_by_age on payment_challenges (created_at)",
      `create table payments (
        id ${c.id},
        ${c.oneOf("chain", ["evm", "solana"])},
        chain_id ${c.integer} not null,
        tx_hash ${c.text} not null,
        resource ${c.text} not null,
        principal ${c.text} not null,
        ${c.oneOf("state", ["verifying", "granted", "refused", "revoked"])},
        reason ${c.text},
        lease_until ${c.time} not null,
        payment_id ${c.text},
        currency ${c.text} not null,
        recipient ${c.text} not null,
        price ${c.text} not null,
        amount ${c.text},
        payer ${c.text},
        ${optional("binding", ["signature", "reference", "profile", "none"])},
        block_hash ${c.text},
        created_at ${c.time} not null,
        granted_at ${c.time},
        due_at ${c.time},
        check ((state = 'granted' or state = 'revoked') = (granted_at is not null))
      ) ${c.table}`,
      // A caller presents a transaction once per resource. At most one row per transaction is not refused: the
      // reservation.
      "create unique index payments_by_hash on payments (chain, chain_id, tx_hash, resource, principal)",
      "create unique index payments_reserved on payments (chain, chain_id, tx_hash) where state <> 'refused'",
      "create index payments_due on payments (due_at) where due_at is not null",
      "create index payments_not_granted on payments (created_at) where granted_at is null",
      "create index payments_by_resource on payments (resource, id)",
      "create index payments_by_principal on payments (principal, id)",
      `create table paid_resources (
        slug ${c.text} primary key,
        path ${c.text} not null unique,
        description ${c.text},
        media_type ${c.text} not null,
        body ${c.blob} not null,
        size_bytes ${c.integer} not null,
        amount ${c.text} not null,
        currency ${c.text} not null,
        ${c.oneOf("chain", ["evm", "solana"])},
        chain_id ${c.integer} not null,
        created_by ${c.text} not null,
        created_at ${c.time} not null
      ) ${c.table}`,
    ]);
  },
};
