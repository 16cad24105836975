import type { Migration } from "./migration.ts";

/**
 * The members of a channel who may call everybody who is online with `@here` (protocol §5). For a node of the release
 * before, `@here` is a word like any other.
 */
export const here: Migration = {
  name: "0067-here",
  async up({ columns: c, run }) {
    await run([`alter table channels add column here_by ${c.text} not null default 'members'`]);
  },
};
