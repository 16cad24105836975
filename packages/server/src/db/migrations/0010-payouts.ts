import type { Migration } from "./migration.ts";

/** The outbox of transfers on chains (payouts.ts). */
export const payouts: Migration = {
  name: "0010-payouts",
  async up({ columns: c, run }) {
    await run([
      `create table payouts (
        id ${c.lastingId},
        key ${c.text} not null,
        ${c.oneOf("purpose", ["claim", "refund", "gap"])},
        ${c.oneOf("chain", ["evm", "solana"])},
        chain_id ${c.integer} not null,
        currency ${c.text} not null,
        token_address ${c.text},
        ledger_currency ${c.text} not null,
        recipient ${c.text} not null,
        amount ${c.text} not null,
        ${c.oneOf("state", ["queued", "settled", "numbered", "signed", "sent", "included", "failed"])},
        hold ${c.text},
        payer ${c.text},
        nonce ${c.integer},
        round ${c.integer} not null default 0,
        refusals ${c.integer} not null default 0,
        hash ${c.text},
        fee_paid ${c.text},
        day ${c.text},
        due_at ${c.time} not null,
        created_at ${c.time} not null,
        updated_at ${c.time} not null,
        ended_at ${c.time},
        check ((ended_at is null) = (state <> 'settled' and state <> 'failed')),
        check (nonce is null or payer is not null)
      ) ${c.table}`,
      "create unique index payouts_key on payouts (key)",
      // Two payouts never share a nonce, whatever else fails.
      "create unique index payouts_nonce on payouts (chain, chain_id, payer, nonce) where nonce is not null",
      "create index payouts_open on payouts (chain, chain_id, due_at) where ended_at is null",
      "create index payouts_failed on payouts (id) where state = 'failed'",
      `create table payout_attempts (
        id ${c.lastingId},
        payout_id ${c.integer} not null references payouts (id),
        round ${c.integer} not null,
        payer ${c.text} not null,
        nonce ${c.integer},
        bytes ${c.text} not null,
        hash ${c.text} not null,
        fee ${c.text} not null,
        valid_until ${c.text},
        ${c.oneOf("state", ["live", "settled", "dead"])},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create unique index payout_attempts_hash on payout_attempts (hash)",
      "create index payout_attempts_of_payout on payout_attempts (payout_id)",
      "create index payout_attempts_nonce on payout_attempts (payer, nonce) where nonce is not null",
      // A second transfer for a payout already settled would need a second row here.
      "create unique index payout_attempts_settled on payout_attempts (payout_id) where state = 'settled'",
      `create table payout_lease (
        id ${c.integer} primary key check (id = 1),
        holder ${c.text},
        fence ${c.integer} not null,
        until ${c.time} not null,
        stopped_at ${c.time},
        stopped_by ${c.text},
        epoch ${c.text} not null
      ) ${c.table}`,
      `create table payout_days (
        day ${c.text} not null,
        ledger_currency ${c.text} not null,
        amount ${c.text} not null,
        gas ${c.text} not null,
        primary key (day, ledger_currency)
      ) ${c.clusteredTable}`,
      "insert into payout_lease (id, fence, until, epoch) select 1, 0, 0, value from meta where key = 'epoch'",
    ]);
  },
};
