import type { Migration } from "./migration.ts";

/**
 * Claims are found by packet: those of a batch stand together, where an index by user has a page for each of them to write. Of a user's claims
 * over all packets only those with an address are asked for quickly.
 */
export const packetClaims: Migration = {
  name: "0016-packet-claims",
  async up({ run }) {
    await run([
      "drop index packet_claims_by_user",
      "create unique index packet_claims_by_user on packet_claims (packet_id, user_id)",
      "create index packet_claims_with_address on packet_claims (user_id, packet_id) where address is not null",
    ]);
  },
};
