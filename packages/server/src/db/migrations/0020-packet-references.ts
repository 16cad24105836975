import type { Migration } from "./migration.ts";

/**
 * Finds the packet that a transaction references: looked up for every transaction that references something other than
 * what it is presented for.
 */
export const packetReferences: Migration = {
  name: "0020-packet-references",
  async up({ run }) {
    await run(["create index packets_by_reference on packets (reference) where reference is not null"]);
  },
};
