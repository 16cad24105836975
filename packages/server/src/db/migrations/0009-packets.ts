import type { Migration } from "./migration.ts";

const CHAINS = ["ledger", "evm", "solana"];
const PAYOUT = ["settled", "pending", "failed"];

/** Red packets, their claims, and receipts of chain transactions (packets.ts). */
export const packets: Migration = {
  name: "0009-packets",
  async up({ columns: c, run }) {
    const optional = (column: string, values: readonly string[]): string =>
      c.oneOf(column, values).replace("not null ", "");
    const status = [
      "active",
      "pending_funding",
      "exhausted",
      "expired",
      "cancelled",
      "refunding",
      "refunded",
      "failed",
    ];
    await run([
      `create table packets (
        id ${c.lastingId},
        channel_id ${c.integer} not null references channels (id),
        message_id ${c.integer},
        sender_id ${c.integer} not null references users (id),
        client_key ${c.text},
        client_hash ${c.text},
        ${c.oneOf("split_type", ["random", "equal"])},
        ${c.oneOf("chain", CHAINS)},
        chain_id ${c.integer},
        currency ${c.text} not null,
        token_address ${c.text},
        decimals ${c.integer} not null,
        ledger_currency ${c.text} not null,
        total_amount ${c.text} not null,
        remaining_amount ${c.text} not null,
        count ${c.integer} not null check (count between 1 and 200),
        remaining_count ${c.integer} not null check (remaining_count between 0 and count),
        min_share ${c.text} not null,
        greeting ${c.text} not null,
        ${c.oneOf("status", status)},
        ${optional("close_reason", ["exhausted", "expired", "cancelled", "failed"])},
        seed ${c.text} not null,
        commitment ${c.text} not null,
        expires_in ${c.integer} not null,
        reference ${c.text},
        tx_hash ${c.text},
        ${c.oneOf("funding_status", ["settled", "waiting", "pending", "failed"])},
        funding_problem ${c.text},
        funder ${c.text},
        refund_amount ${c.text},
        ${optional("refund_status", PAYOUT)},
        refund_tx_hash ${c.text},
        due_at ${c.time},
        created_at ${c.time} not null,
        expires_at ${c.time} not null,
        closed_at ${c.time},
        check ((closed_at is null) = (close_reason is null) and (chain = 'ledger') = (chain_id is null))
      ) ${c.table}`,
      "create unique index packets_client_key on packets (client_key) where client_key is not null",
      "create index packets_by_channel on packets (channel_id, id)",
      "create index packets_by_sender on packets (sender_id)",
      "create index packets_due on packets (due_at) where due_at is not null",
      `create table packet_claims (
        id ${c.lastingId},
        packet_id ${c.integer} not null references packets (id),
        user_id ${c.integer} not null references users (id),
        rank ${c.integer} not null check (rank >= 1),
        amount ${c.text} not null,
        address ${c.text},
        ${c.oneOf("payout_status", PAYOUT)},
        payout_tx_hash ${c.text},
        claimed_at ${c.time} not null
      ) ${c.table}`,
      "create unique index packet_claims_by_user on packet_claims (user_id, packet_id)",
      "create unique index packet_claims_by_rank on packet_claims (packet_id, rank)",
      "create index packet_claims_pending on packet_claims (packet_id) where payout_status = 'pending'",
      `create table chain_receipts (
        ${c.oneOf("chain", ["evm", "solana"])},
        chain_id ${c.integer} not null,
        tx_hash ${c.text} not null,
        ${c.oneOf("purpose", ["packet", "payment"])},
        subject ${c.text} not null,
        created_at ${c.time} not null,
        primary key (chain, chain_id, tx_hash)
      ) ${c.clusteredTable}`,
      // Finds the user by the address that a transfer comes from.
      "create index users_by_evm_address on users (evm_address) where evm_address is not null",
      "create index users_by_sol_address on users (sol_address) where sol_address is not null",
    ]);
  },
};
