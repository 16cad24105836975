import type { Migration } from "./migration.ts";

/**
 * The users' lists of notifications, their browsers' push subscriptions, and the messages to be pushed to them. The
 * consumer that fills the lists begins at what is in the channels now.
 */
export const notifications: Migration = {
  name: "0032-notifications",
  async up({ columns: c, run }) {
    await run([
      `create table notifications (
        id ${c.id},
        user_id ${c.integer} not null references users (id) on delete cascade,
        ${c.oneOf("kind", ["mention", "direct", "thread_reply", "reaction", "card", "notice"])},
        ${c.oneOf("about", ["message", "reaction"])},
        channel_id ${c.integer} not null,
        message_id ${c.integer} not null,
        seq ${c.integer} not null,
        thread_root_id ${c.integer},
        from_user_id ${c.integer},
        from_agent_id ${c.integer},
        from_name ${c.text},
        reaction ${c.text},
        read_at ${c.time},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create unique index notifications_by_subject on notifications (user_id, message_id, about)",
      "create index notifications_by_user on notifications (user_id, id)",
      "create index notifications_unread on notifications (user_id, channel_id, seq) where read_at is null",
      "create index notifications_by_message on notifications (message_id)",
      "create index notifications_by_actor on notifications (from_user_id) where about = 'reaction'",
      "create index notifications_by_age on notifications (created_at)",
      `create table push_keys (
        id ${c.integer} primary key check (id = 1),
        public_key ${c.text} not null,
        private_key ${c.text} not null,
        created_at ${c.time} not null
      ) ${c.table}`,
      `create table push_subscriptions (
        id ${c.id},
        user_id ${c.integer} not null references users (id) on delete cascade,
        session_id ${c.integer} not null references sessions (id) on delete cascade,
        endpoint ${c.text} not null,
        p256dh ${c.text} not null,
        auth ${c.text} not null,
        failures ${c.integer} not null default 0,
        created_at ${c.time} not null,
        last_sent_at ${c.time}
      ) ${c.table}`,
      "create unique index push_subscriptions_by_endpoint on push_subscriptions (endpoint)",
      "create index push_subscriptions_by_user on push_subscriptions (user_id)",
      "create index push_subscriptions_by_session on push_subscriptions (session_id)",
      `create table push_queue (
        subscription_id ${c.integer} not null references push_subscriptions (id) on delete cascade,
        channel_id ${c.integer} not null,
        user_id ${c.integer} not null,
        message_id ${c.integer} not null,
        seq ${c.integer} not null,
        ${c.flag("is_any")},
        ${c.flag("pending")},
        since ${c.time} not null,
        due_at ${c.time} not null,
        tries ${c.integer} not null,
        sent_at ${c.time},
        primary key (subscription_id, channel_id)
      ) ${c.clusteredTable}`,
      "create index push_queue_due on push_queue (due_at)",
      `create table visible_pages (
        user_id ${c.integer} not null,
        node_id ${c.text} not null,
        primary key (user_id, node_id)
      ) ${c.clusteredTable}`,
      `alter table user_preferences add column push_previews ${c.integer} not null default 0`,
      `alter table user_preferences add column quiet_from ${c.text}`,
      `alter table user_preferences add column quiet_to ${c.text}`,
      `alter table user_preferences add column zone ${c.text}`,
      `alter table user_preferences add column muted_until ${c.time}`,
      "insert into channel_cursors (purpose, channel_id, seq) select 'notifications', id, last_seq from channels where last_seq > 0",
    ]);
  },
  indexes: [{ name: "channel_members_wanting_all", on: "channel_members (channel_id) where notify_level = 'all'" }],
};
