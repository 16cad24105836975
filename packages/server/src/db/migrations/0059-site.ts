import type { Migration } from "./migration.ts";

/**
 * The settings of the site that administrators change, in one row, which registrations share while they are decided.
 * null: the default. The release before knows only those of the environment. And the invitations that users make beside
 * their own code: to the release before, their codes do not exist.
 */
export const site: Migration = {
  name: "0059-site",
  async up({ columns: c, run }) {
    await run([
      `create table site (
        id ${c.integer} primary key,
        name ${c.text},
        registration ${c.text},
        version ${c.integer} not null
      ) ${c.table}`,
      "insert into site (id, version) values (0, 0)",
      `create table site_logo (
        id ${c.integer} primary key,
        mime_type ${c.text} not null,
        etag ${c.text} not null,
        width ${c.integer} not null,
        height ${c.integer} not null,
        bytes ${c.blob} not null
      ) ${c.table}`,
      `create table invitations (
        id ${c.id},
        code ${c.text} not null unique,
        user_id ${c.integer} not null references users (id) on delete cascade,
        created_at ${c.time} not null,
        expires_at ${c.time} not null,
        uses_max ${c.integer} not null,
        uses ${c.integer} not null,
        revoked_at ${c.time}
      ) ${c.table}`,
      "create index invitations_by_user on invitations (user_id, id)",
    ]);
  },
};
