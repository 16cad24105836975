import type { Migration } from "./migration.ts";

/**
 * The kinds of inbox items that are made only for agents that asked, and what the Telegram door needs to ask for them.
 * The release before this one makes no such items and shows those of this one as messages.
 */
export const inboxKinds: Migration = {
  name: "0051-inbox-kinds",
  async up({ columns: c, run }) {
    await run([
      `create table inbox_kinds (
        name_key ${c.text} not null primary key,
        agent_id ${c.integer} not null,
        agent_name ${c.text} not null,
        kinds ${c.text} not null default '',
        telegram_kinds ${c.text} not null default ''
      ) ${c.table}`,
      "create index inbox_kinds_by_agent on inbox_kinds (agent_id)",
      `alter table agents add column telegram_privacy ${c.integer} not null default 1`,
      `alter table telegram_bots add column allowed_updates ${c.text}`,
    ]);
  },
  // They end after 24 hours, and there are none on most servers.
  indexes: [
    {
      name: "mentions_passing",
      on: "mentions (created_at) where kind in ('reply', 'command', 'message', 'edit', 'reaction', 'membership')",
    },
  ],
};
