import type { Migration } from "./migration.ts";

/**
 * Who calls everybody who is online in a channel with `@here` (protocol §5). To a node of the release before it is a word
 * like any other.
 */
export const here: Migration = {
  name: "0067-here",
  async up({ columns: c, run }) {
    await run([`alter table channels add column here_by ${c.text} not null default 'members'`]);
  },
};
