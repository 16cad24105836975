import type { Migration } from "./migration.ts";

/** The agent that pinned a message; null: a user did, or nobody. `pinned_by` is the name that it used. */
export const pinsOfAgents: Migration = {
  name: "0054-pins-of-agents",
  async up({ columns: c, run }) {
    await run([`alter table messages add column pinned_agent_id ${c.integer}`]);
  },
};
