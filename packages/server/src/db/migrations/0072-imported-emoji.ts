import type { Migration } from "./migration.ts";

/**
 * The emoji that an import brings (protocol §14.2): which import, and whether it is open. `imports.left_out`: what it left
 * out, for the administration.
 */
export const importedEmoji: Migration = {
  name: "0072-imported-emoji",
  async up({ columns: c, run }) {
    await run([
      `alter table emoji add column import_id ${c.integer}`,
      `alter table emoji add column is_hidden ${c.integer} not null default 0`,
      `alter table imports add column left_out ${c.text}`,
    ]);
  },
  indexes: [{ name: "emoji_by_import", on: "emoji (import_id) where import_id is not null" }],
};
