import type { Migration } from "./migration.ts";

/** The commands that agents declare, a row for each list: of a name, a scope with its channel, and a language. */
export const agentCommands: Migration = {
  name: "0052-agent-commands",
  async up({ columns: c, run }) {
    await run([
      `create table agent_commands (
        id ${c.id},
        agent_id ${c.integer} not null references agents (id) on delete cascade,
        name_key ${c.text} not null,
        scope ${c.text} not null,
        channel_id ${c.integer} not null,
        language ${c.text} not null,
        commands ${c.text} not null,
        set_at ${c.time} not null,
        unique (name_key, scope, channel_id, language)
      ) ${c.table}`,
      "create index agent_commands_by_agent on agent_commands (agent_id, id)",
      "create index agent_commands_by_channel on agent_commands (channel_id) where channel_id > 0",
    ]);
  },
};
