import type { Migration } from "./migration.ts";

/** Whose packet it is that a transaction names: asked of every transaction that names something else than what it is shown for. */
export const packetReferences: Migration = {
  name: "0020-packet-references",
  async up({ run }) {
    await run(["create index packets_by_reference on packets (reference) where reference is not null"]);
  },
};
