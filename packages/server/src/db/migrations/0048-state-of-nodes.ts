import type { Migration } from "./migration.ts";

/** What `parley doctor` says about running nodes: why one doubts the bus, and the id that it had before. */
export const stateOfNodes: Migration = {
  name: "0048-state-of-nodes",
  async up({ columns: c, run }) {
    await run([`alter table nodes add column doubt ${c.text}`, `alter table nodes add column former_id ${c.text}`]);
  },
};
