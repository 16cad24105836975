import type { Migration } from "./migration.ts";

/**
 * The table of mentions becomes the table of the agents' inbox. The release before this one writes mentions, which is the
 * default of `kind`, and finds no message for notices, so that it does not show them.
 */
export const inbox: Migration = {
  name: "0028-inbox",
  async up({ columns: c, run }) {
    await run([
      `alter table mentions add column kind ${c.text} not null default 'mention'`,
      `alter table mentions add column notice ${c.text}`,
    ]);
  },
};
