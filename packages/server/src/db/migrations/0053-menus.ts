import type { Migration } from "./migration.ts";

/**
 * The menus of bots. `messages.card` has the buttons that a message shows; `menus` says which messages have or had some,
 * so that those of a bot are counted. `menu_presses` belongs to the items `press` of the inbox: a press is kept as long
 * as its item waits, and while the bot may answer it. To the release before this one a menu is a card without a
 * question: it shows the buttons, and answers a press with 404.
 */
export const menus: Migration = {
  name: "0053-menus",
  async up({ columns: c, run }) {
    await run([
      `create table menus (
        message_id ${c.integer} primary key,
        channel_id ${c.integer} not null,
        agent_id ${c.integer} not null,
        agent_name ${c.text} not null,
        ${c.flag("is_live")}
      ) ${c.table}`,
      "create index menus_live on menus (agent_id, agent_name, message_id) where is_live = 1",
      `create table menu_presses (
        item_id ${c.integer} primary key,
        message_id ${c.integer} not null,
        channel_id ${c.integer} not null,
        agent_id ${c.integer} not null,
        agent_name ${c.text} not null,
        user_id ${c.integer},
        action_id ${c.text} not null,
        choice ${c.text} not null,
        created_at ${c.time} not null,
        answered_at ${c.time}
      ) ${c.table}`,
      "create index menu_presses_by_time on menu_presses (created_at)",
      "create index menu_presses_by_user on menu_presses (user_id) where user_id is not null",
    ]);
  },
};
