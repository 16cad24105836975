import type { Migration } from "./migration.ts";

/** The value of `RANKS` when this was written. */
const RANKS = 256;

/**
 * Numbers claims by packet and rank, and finds them by packet and user: claims of a batch are neighbours, while an
 * index by user has a page to write for each of them. Over all packets, only a user's claims with an address need fast
 * look-up.
 */
export const packetClaims: Migration = {
  name: "0016-packet-claims",
  async up({ columns: c, run }) {
    await run([
      `create table new_packet_claims (
        id ${c.integer} primary key check (id = packet_id * ${RANKS} + rank),
        packet_id ${c.integer} not null references packets (id),
        user_id ${c.integer} not null references users (id),
        rank ${c.integer} not null check (rank between 1 and 200),
        amount ${c.text} not null,
        address ${c.text},
        ${c.oneOf("payout_status", ["settled", "pending", "failed"])},
        payout_tx_hash ${c.text},
        claimed_at ${c.time} not null
      ) ${c.table}`,
      `insert into new_packet_claims
          (id, packet_id, user_id, rank, amount, address, payout_status, payout_tx_hash, claimed_at)
        select packet_id * ${RANKS} + rank, packet_id, user_id, rank, amount, address, payout_status, payout_tx_hash, claimed_at
        from packet_claims order by packet_id, rank`,
      "drop table packet_claims",
      "alter table new_packet_claims rename to packet_claims",
      "create unique index packet_claims_by_user on packet_claims (packet_id, user_id)",
      "create index packet_claims_pending on packet_claims (packet_id) where payout_status = 'pending'",
      "create index packet_claims_with_address on packet_claims (user_id, packet_id) where address is not null",
    ]);
  },
};
