import type { Migration } from "./migration.ts";

/**
 * Webhooks in both directions. `webhooks.position` is what a hook has read: a channel's seq, or the id of an item of its
 * agent's inbox. A delivery holds no text: its body is made from the log each time it is sent. To the release before this
 * one the messages of incoming webhooks are system messages.
 */
export const webhooks: Migration = {
  name: "0035-webhooks",
  async up({ columns: c, run }) {
    await run([
      `create table webhooks (
        id ${c.id},
        channel_id ${c.integer} references channels (id) on delete cascade,
        agent_id ${c.integer},
        url ${c.text} not null,
        events ${c.text} not null,
        description ${c.text},
        secret ${c.text} not null,
        old_secret ${c.text},
        old_secret_until ${c.time},
        ${c.oneOf("status", ["active", "failing", "disabled"])},
        disabled_reason ${c.text},
        position ${c.integer} not null,
        round ${c.integer} not null default 0,
        created_by_user ${c.integer},
        created_by ${c.text},
        created_at ${c.time} not null,
        last_success_at ${c.time},
        last_failure_at ${c.time},
        failing_since ${c.time}
      ) ${c.table}`,
      "create index webhooks_by_channel on webhooks (channel_id) where channel_id is not null",
      "create index webhooks_by_agent on webhooks (agent_id) where agent_id is not null",
      "create index webhooks_by_maker on webhooks (created_by_user)",
      `create table webhook_deliveries (
        id ${c.id},
        webhook_id ${c.integer} not null references webhooks (id) on delete cascade,
        round ${c.integer} not null,
        event ${c.text} not null,
        source ${c.integer} not null,
        ${c.oneOf("status", ["waiting", "delivered", "dead"])},
        tries ${c.integer} not null default 0,
        due_at ${c.time} not null,
        claimed_until ${c.time} not null default 0,
        result ${c.text},
        response_status ${c.integer},
        response_body ${c.text},
        duration_ms ${c.integer},
        created_at ${c.time} not null,
        done_at ${c.time}
      ) ${c.table}`,
      "create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, round, source, event)",
      "create index webhook_deliveries_by_hook on webhook_deliveries (webhook_id, id)",
      "create index webhook_deliveries_first on webhook_deliveries (webhook_id, id) where status = 'waiting' and tries = 0",
      "create index webhook_deliveries_again on webhook_deliveries (webhook_id, due_at) where status = 'waiting' and tries > 0",
      "create index webhook_deliveries_done on webhook_deliveries (done_at) where done_at is not null",
      `create table incoming_webhooks (
        id ${c.id},
        channel_id ${c.integer} not null references channels (id) on delete cascade,
        name ${c.text} not null,
        secret_hash ${c.text} not null,
        ${c.flag("enabled")},
        ${c.flag("allow_mentions")},
        created_by_user ${c.integer},
        created_by ${c.text},
        created_at ${c.time} not null,
        last_used_at ${c.time}
      ) ${c.table}`,
      "create index incoming_webhooks_by_channel on incoming_webhooks (channel_id)",
      "create index incoming_webhooks_by_maker on incoming_webhooks (created_by_user)",
      `alter table messages add column webhook_id ${c.integer}`,
    ]);
  },
};
