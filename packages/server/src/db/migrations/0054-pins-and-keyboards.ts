import type { Migration } from "./migration.ts";

/**
 * `messages.pinned_agent_id` is the agent that pinned a message; null: a user did, or nobody. `pinned_by` is the name that
 * it used. `keyboards` says which messages show, or remove, buttons above the composer that somebody may still see;
 * `messages.card` has them.
 */
export const pinsAndKeyboards: Migration = {
  name: "0054-pins-and-keyboards",
  async up({ columns: c, run }) {
    await run([
      `alter table messages add column pinned_agent_id ${c.integer}`,
      `create table keyboards (
        message_id ${c.integer} primary key,
        channel_id ${c.integer} not null,
        agent_name ${c.text} not null
      ) ${c.table}`,
      "create index keyboards_by_channel on keyboards (channel_id, message_id)",
    ]);
  },
};
