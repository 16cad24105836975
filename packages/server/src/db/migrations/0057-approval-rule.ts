import type { Migration } from "./migration.ts";

/**
 * Who may decide what agents ask in a channel (protocol §12.6). A node of the release before does not know the rule, and
 * decides without it: set rules when all nodes are new.
 */
export const approvalRule: Migration = {
  name: "0057-approval-rule",
  async up({ columns: c, run }) {
    await run([`alter table channels add column approval_rule ${c.text}`]);
  },
};
