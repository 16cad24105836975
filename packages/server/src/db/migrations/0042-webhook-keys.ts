import type { Migration } from "./migration.ts";

/** The key with which an agent made its webhook: the webhook ends with it. */
export const webhookKeys: Migration = {
  name: "0042-webhook-keys",
  async up({ columns: c, run }) {
    await run([`alter table webhooks add column created_by_key ${c.text}`]);
  },
};
