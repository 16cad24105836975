import type { Migration } from "./migration.ts";

/**
 * Direct conversations between a user and an agent, by the agent's name, and whom an agent talks with. To the release
 * before this one they are private channels without an owner.
 */
export const directAgents: Migration = {
  name: "0029-direct-agents",
  async up({ columns: c, run }) {
    await run([
      `alter table agents add column dm_policy ${c.text} not null default 'owner'`,
      `create table direct_agents (
        user_id ${c.integer} not null references users (id),
        name_key ${c.text} not null,
        agent_id ${c.integer} not null references agents (id),
        agent_name ${c.text} not null,
        channel_id ${c.integer} not null references channels (id) on delete cascade,
        closed_seq ${c.integer},
        primary key (user_id, name_key)
      ) ${c.clusteredTable}`,
      "create unique index direct_agents_channel on direct_agents (channel_id)",
    ]);
  },
};
