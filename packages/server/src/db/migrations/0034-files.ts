import type { Migration } from "./migration.ts";

/**
 * Files that users and agents have uploaded. `file_blobs` counts the references to the bytes of each hash: those of the
 * files and of their previews. `message_id` has no foreign key, because the release before this one deletes messages
 * without knowing of files.
 */
export const files: Migration = {
  name: "0034-files",
  async up({ columns: c, run }) {
    await run([
      `create table files (
        id ${c.id},
        user_id ${c.integer} references users (id),
        agent_id ${c.integer} references agents (id),
        uploader_name ${c.text} not null,
        name ${c.text} not null,
        mime_type ${c.text} not null,
        ${c.oneOf("kind", ["other", "image", "video", "audio", "text"])},
        sha256 ${c.text} not null,
        size_bytes ${c.integer} not null,
        width ${c.integer},
        height ${c.integer},
        alt_text ${c.text},
        small_sha256 ${c.text},
        large_sha256 ${c.text},
        ${c.oneOf("status", ["storing", "scanning", "ready", "blocked"])},
        channel_id ${c.integer},
        message_id ${c.integer},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create index files_message on files (message_id) where message_id is not null",
      "create index files_unsent on files (created_at) where message_id is null",
      "create index files_scanning on files (id) where status = 'scanning'",
      "create index files_channel on files (channel_id, id) where message_id is not null",
      "create index files_channel_kind on files (channel_id, kind, id) where message_id is not null",
      "create index files_user on files (user_id, id) where user_id is not null",
      `create table file_blobs (
        sha256 ${c.text} primary key,
        size_bytes ${c.integer} not null,
        refs ${c.integer} not null,
        unused_at ${c.time},
        removing_until ${c.time}
      ) ${c.table}`,
      "create index file_blobs_unused on file_blobs (unused_at) where unused_at is not null",
      `create table file_usage (
        owner ${c.text} primary key,
        bytes ${c.integer} not null
      ) ${c.table}`,
    ]);
  },
};
