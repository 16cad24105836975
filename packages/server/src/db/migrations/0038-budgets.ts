import type { Migration } from "./migration.ts";

/**
 * Limits of keys, budgets of agents and what they spend (protocol §12.8). A key that expires also has its end in
 * `revoked_at`, so the release before refuses it, too; it does not know scopes.
 */
export const budgets: Migration = {
  name: "0038-budgets",
  async up({ columns: c, run }) {
    await run([
      `alter table api_keys add column scopes ${c.text}`,
      `alter table api_keys add column channels ${c.text}`,
      `alter table api_keys add column expires_at ${c.time}`,
      `create table agent_budgets (
        agent_id ${c.integer} primary key references agents (id) on delete cascade,
        limits ${c.text} not null,
        ceilings ${c.text} not null,
        period_zone ${c.text} not null,
        period_at ${c.time},
        used ${c.text} not null
      ) ${c.table}`,
      `create table agent_usage (
        agent_id ${c.integer} not null references agents (id) on delete cascade,
        bucket_at ${c.time} not null,
        channel_id ${c.integer} not null,
        model ${c.text} not null,
        currency ${c.text} not null,
        messages ${c.integer} not null,
        characters ${c.integer} not null,
        cards ${c.integer} not null,
        input_tokens ${c.integer} not null,
        output_tokens ${c.integer} not null,
        cost ${c.integer} not null,
        primary key (agent_id, bucket_at, channel_id, model, currency)
      ) ${c.clusteredTable}`,
      `create table agent_demands (
        payment_id ${c.text} primary key,
        agent_id ${c.integer} not null references agents (id) on delete cascade,
        chain_id ${c.integer} not null,
        currency ${c.text} not null,
        amount ${c.text} not null,
        ${c.oneOf("state", ["reserved", "settled", "released"])},
        lapses_at ${c.time} not null,
        settled_at ${c.time}
      ) ${c.clusteredTable}`,
      "create index agent_demands_of_agent on agent_demands (agent_id, lapses_at)",
      "create index agent_demands_settled on agent_demands (agent_id, settled_at)",
    ]);
  },
};
