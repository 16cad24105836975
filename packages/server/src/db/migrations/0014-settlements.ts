import type { Migration } from "./migration.ts";

/** Signed transfers that a facilitator settles (payments.ts). */
export const settlements: Migration = {
  name: "0014-settlements",
  async up({ columns: c, run }) {
    await run([
      `create table payment_settlements (
        id ${c.id},
        chain_id ${c.integer} not null,
        token_address ${c.text} not null,
        authorizer ${c.text} not null,
        nonce ${c.text} not null,
        resource ${c.text} not null,
        principal ${c.text} not null,
        payment_id ${c.text} not null,
        currency ${c.text} not null,
        recipient ${c.text} not null,
        amount ${c.text} not null,
        valid_before ${c.time} not null,
        ${c.oneOf("state", ["granted", "reserved", "settling", "settled", "refused"])},
        reason ${c.text},
        lease_until ${c.time} not null,
        from_height ${c.integer},
        tx_hash ${c.text},
        created_at ${c.time} not null,
        due_at ${c.time},
        check (state in ('reserved', 'refused') or from_height is not null),
        check (state not in ('settled', 'granted') or tx_hash is not null)
      ) ${c.table}`,
      "create unique index payment_settlements_by_nonce on payment_settlements (chain_id, token_address, authorizer, nonce)",
      // At most one signature per challenge is in progress, so nobody pays twice for it.
      "create unique index payment_settlements_by_demand on payment_settlements (payment_id) where state <> 'refused'",
      "create index payment_settlements_due on payment_settlements (due_at) where due_at is not null",
      "create index payment_settlements_by_age on payment_settlements (created_at)",
      "create index payment_settlements_by_principal on payment_settlements (principal)",
    ]);
  },
};
