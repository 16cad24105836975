import type { Migration } from "./migration.ts";

/**
 * What agents do in threads, a row for each thread and agent (protocol §16.4). `thread_root_id` has no foreign key,
 * because the release before this one deletes messages without knowing of sessions.
 */
export const agentSessions: Migration = {
  name: "0055-agent-sessions",
  async up({ columns: c, run }) {
    await run([
      `create table agent_sessions (
        id ${c.id},
        agent_id ${c.integer} not null references agents (id) on delete cascade,
        agent_name ${c.text} not null,
        channel_id ${c.integer} not null,
        thread_root_id ${c.integer} not null,
        title ${c.text},
        ${c.oneOf("state", ["working", "done", "failed"])},
        since ${c.time} not null,
        seen_at ${c.time},
        gone_at ${c.time},
        unique (thread_root_id, agent_id)
      ) ${c.table}`,
      "create index agent_sessions_of_agent on agent_sessions (agent_id, since)",
      "create index agent_sessions_of_channel on agent_sessions (channel_id, since)",
      "create index agent_sessions_working on agent_sessions (agent_id) where state = 'working'",
    ]);
  },
};
