import type { Migration } from "./migration.ts";

/**
 * Links with which a user chooses a new password, at most one for each user. Only the hash of a link's token is stored.
 * `password_mark` is a hash of the user's password hash: a link ends when the password changes by other means.
 */
export const resetLinks: Migration = {
  name: "0037-reset-links",
  async up({ columns: c, run }) {
    await run([
      `create table reset_links (
        user_id ${c.integer} primary key references users (id),
        token_hash ${c.text} not null unique,
        password_mark ${c.text} not null,
        issuer_id ${c.integer} references users (id),
        created_at ${c.time} not null,
        expires_at ${c.time} not null
      ) ${c.table}`,
    ]);
  },
};
