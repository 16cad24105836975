import type { Migration } from "./migration.ts";

/**
 * Channels to which a later export has added messages (protocol §14.7): the numbers that these have, and the number of the
 * event `history:extended` behind them. The log passes over the messages, because they are nobody's news.
 */
export const laterExports: Migration = {
  name: "0075-later-exports",
  async up({ columns: c, run }) {
    await run([
      `create table import_extensions (
        import_id ${c.integer} not null,
        channel_id ${c.integer} not null,
        first_seq ${c.integer} not null,
        last_seq ${c.integer} not null,
        primary key (channel_id, last_seq)
      ) ${c.clusteredTable}`,
    ]);
  },
};
