import type { Migration } from "./migration.ts";

/**
 * What an agent did while it writes a message (protocol §16.4). It is stored with the card of the message when that is
 * finished; a node of the release before finishes without it.
 */
export const streamActivity: Migration = {
  name: "0056-stream-activity",
  async up({ columns: c, run }) {
    await run([`alter table streams add column activity ${c.text}`]);
  },
};
