import type { Migration } from "./migration.ts";

/**
 * Previews of links (protocol §13.4). `messages.previews` is an empty text while they have yet to be made. A row of
 * `link_pages` is a fetch of an address, known by its hash; `title` is null while it is under way, or if the page says
 * nothing that may be shown. Each picture belongs to one message or, for others that have the same link, to its page.
 * Pictures have no foreign keys, because the release before deletes messages without knowing of them; it shows no previews.
 */
export const linkPreviews: Migration = {
  name: "0063-link-previews",
  async up({ columns: c, run }) {
    await run([
      `alter table messages add column previews ${c.text}`,
      `alter table channels add column link_previews ${c.integer} not null default 1`,
      `alter table scheduled_messages add column without_previews ${c.integer}`,
      `create table link_pages (
        url_hash ${c.text} primary key,
        taken_at ${c.time} not null,
        fetched_at ${c.time},
        title ${c.text},
        description ${c.text},
        site_name ${c.text},
        picture_id ${c.text}
      ) ${c.clusteredTable}`,
      "create index link_pages_by_age on link_pages (taken_at)",
      `create table link_pictures (
        id ${c.text} primary key,
        sha256 ${c.text} not null,
        size_bytes ${c.integer} not null,
        message_id ${c.integer},
        created_at ${c.time} not null
      ) ${c.clusteredTable}`,
      "create index link_pictures_of_message on link_pictures (message_id) where message_id is not null",
      "create index link_pictures_of_pages on link_pictures (created_at) where message_id is null",
    ]);
  },
  indexes: [{ name: "messages_owing_previews", on: "messages (id) where previews = ''" }],
};
