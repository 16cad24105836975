import type { Migration } from "./migration.ts";

/** The ids of agents' names for bots that were made for Telegram, and their webhooks. */
export const telegramBots: Migration = {
  name: "0050-telegram-bots",
  async up({ columns: c, run }) {
    await run([
      `create table telegram_bots (
        id ${c.id},
        name_key ${c.text} not null unique,
        settings ${c.text},
        stale_offset ${c.integer},
        webhook_url ${c.text},
        webhook_key ${c.text},
        webhook_secret ${c.text},
        webhook_claimed_until ${c.time} not null default 0,
        webhook_due_at ${c.time} not null default 0,
        webhook_failures ${c.integer} not null default 0,
        webhook_error ${c.text},
        webhook_error_at ${c.time}
      ) ${c.table}`,
    ]);
  },
};
