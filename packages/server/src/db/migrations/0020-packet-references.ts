import type { Migration } from "./migration.ts";

/**
 * An index to find the packet whose reference a transaction contains.
 */
export const packetReferences: Migration = {
  name: "0020-packet-references",
  async up({ run }) {
    await run(["create index packets_by_reference on packets (reference) where reference is not null"]);
  },
};
