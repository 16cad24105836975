import type { Migration } from "./migration.ts";

/**
 * Agents that keep a connection open, and those whose connections have ended. `held_at` is the last time at which a node
 * knew one to be open; null: the agent has none, and only calls. `away_at` is since when it is gone.
 */
export const heldAgents: Migration = {
  name: "0058-held-agents",
  async up({ columns: c, run }) {
    await run([`alter table agents add column held_at ${c.time}`, `alter table agents add column away_at ${c.time}`]);
  },
  indexes: [
    { name: "agents_held", on: "agents (held_at) where held_at is not null" },
    { name: "agents_away", on: "agents (away_at) where away_at is not null" },
  ],
};
