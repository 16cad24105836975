import type { Migration } from "./migration.ts";

/**
 * Codes that are exchanged for the key of an agent, once. Only a code's hash is stored. `agent_id` is null for an agent
 * that does not exist yet, whose name is held (`name_key`). `key_mark` is a hash of the agent's revocations: the code ends
 * with the next one.
 */
export const setupCodes: Migration = {
  name: "0049-setup-codes",
  async up({ columns: c, run }) {
    await run([
      `create table setup_codes (
        id ${c.id},
        code_hash ${c.text} not null unique,
        agent_id ${c.integer} references agents (id) on delete cascade,
        agent_name ${c.text},
        name_key ${c.text},
        owner_id ${c.integer} references users (id),
        maker_id ${c.integer} references users (id),
        ${c.flag("by_level")},
        key_mark ${c.text} not null,
        scopes ${c.text},
        channels ${c.text},
        key_expires_at ${c.time},
        created_at ${c.time} not null,
        expires_at ${c.time} not null,
        ended_at ${c.time},
        used_at ${c.time},
        key_id ${c.text},
        check (agent_id is not null or name_key is not null)
      ) ${c.table}`,
      "create index setup_codes_by_agent on setup_codes (agent_id) where agent_id is not null",
      "create index setup_codes_by_name on setup_codes (name_key) where name_key is not null",
      "create index setup_codes_by_owner on setup_codes (owner_id) where owner_id is not null",
      "create index setup_codes_by_maker on setup_codes (maker_id) where maker_id is not null",
      "create index setup_codes_by_expiry on setup_codes (expires_at)",
    ]);
  },
};
