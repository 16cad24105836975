import type { Migration } from "./migration.ts";

/**
 * Imports from other chats (protocol §14): the runs, what became of each thing of the source (§14.7), and the blocks of
 * ids that their messages have. Within a block times ascend, but they are older than those of the ids around it (§14.4).
 */
export const imports: Migration = {
  name: "0070-imports",
  async up({ columns: c, run }) {
    await run([
      `create table imports (
        id ${c.id},
        ${c.oneOf("status", ["writing", "closed", "done", "undoing", "undone"])},
        source ${c.text} not null,
        workspace ${c.text} not null,
        fingerprint ${c.text} not null,
        salt ${c.text} not null,
        place ${c.integer} not null,
        counts ${c.text} not null,
        created_at ${c.time} not null,
        opened_at ${c.time},
        undone_at ${c.time}
      ) ${c.table}`,
      `create table import_items (
        source ${c.text} not null,
        ${c.oneOf("kind", ["message", "user", "agent", "channel", "file"])},
        source_id ${c.text} not null,
        parley_id ${c.integer} not null,
        content_hash ${c.text},
        import_id ${c.integer} not null,
        primary key (source, kind, source_id)
      ) ${c.clusteredTable}`,
      // Messages are by far the most, and nobody looks for them by what they became.
      "create index import_items_by_parley on import_items (kind, parley_id) where kind <> 'message'",
      `create table import_blocks (
        first_id ${c.integer} primary key,
        last_id ${c.integer} not null,
        import_id ${c.integer} not null
      ) ${c.table}`,
    ]);
  },
};
