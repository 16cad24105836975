import type { Migration } from "./migration.ts";

/** Does for agents what 0017 did for users (moderation.ts). */
export const keptAgentMutes: Migration = {
  name: "0019-kept-agent-mutes",
  async up({ columns: c, run }) {
    await run([
      `create table kept_agent_mutes (
        channel_id ${c.integer} not null references channels (id) on delete cascade,
        agent_id ${c.integer} not null references agents (id) on delete cascade,
        muted_until ${c.time} not null,
        primary key (channel_id, agent_id)
      ) ${c.clusteredTable}`,
      "create index kept_agent_mutes_by_agent on kept_agent_mutes (agent_id)",
    ]);
  },
};
