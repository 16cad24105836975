import type { Migration } from "./migration.ts";

/**
 * Claims stand by packet and rank, which names them, and are found by packet and user: those of a batch are neighbours, where numbers of their own
 * and an index by user have more pages to write. Of a user's claims over all packets only those with an address are asked for quickly.
 */
export const packetClaims: Migration = {
  name: "0016-packet-claims",
  async up({ columns: c, run }) {
    await run([
      `create table new_packet_claims (
        packet_id ${c.integer} not null references packets (id),
        rank ${c.integer} not null check (rank between 1 and 200),
        user_id ${c.integer} not null references users (id),
        amount ${c.text} not null,
        address ${c.text},
        ${c.oneOf("payout_status", ["settled", "pending", "failed"])},
        payout_tx_hash ${c.text},
        claimed_at ${c.time} not null,
        primary key (packet_id, rank)
      ) ${c.clusteredTable}`,
      `insert into new_packet_claims
          (packet_id, rank, user_id, amount, address, payout_status, payout_tx_hash, claimed_at)
        select packet_id, rank, user_id, amount, address, payout_status, payout_tx_hash, claimed_at
        from packet_claims order by packet_id, rank`,
      "drop table packet_claims",
      "alter table new_packet_claims rename to packet_claims",
      "create unique index packet_claims_by_user on packet_claims (packet_id, user_id)",
      "create index packet_claims_pending on packet_claims (packet_id) where payout_status = 'pending'",
      "create index packet_claims_with_address on packet_claims (user_id, packet_id) where address is not null",
    ]);
  },
};
