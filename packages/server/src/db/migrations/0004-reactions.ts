import type { Migration } from "./migration.ts";

/** Reactions and reports (reactions.ts), and the counts in each message. */
export const reactions: Migration = {
  name: "0004-reactions",
  async up({ columns: c, run }) {
    await run([
      // The actor precedes the reaction, because a reader's own reactions on a page of messages are read for each
      // reader.
      `create table reactions (
        message_id ${c.integer} not null,
        ${c.oneOf("actor_kind", ["user", "agent"])},
        actor_id ${c.integer} not null,
        reaction ${c.text} not null,
        created_at ${c.time} not null,
        primary key (message_id, actor_kind, actor_id, reaction)
      ) ${c.clusteredTable}`,
      "create index reactions_by_actor on reactions (actor_kind, actor_id)",
      `alter table messages add column reactions ${c.text}`,
      `create table reports (
        id ${c.id},
        message_id ${c.integer} not null,
        channel_id ${c.integer} not null,
        author_id ${c.integer},
        reporter_id ${c.integer} not null references users (id),
        reason ${c.text} not null,
        snapshot ${c.text} not null,
        ${c.oneOf("status", ["open", "resolved", "dismissed"])},
        handled_by ${c.text},
        handled_at ${c.time},
        note ${c.text},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create unique index reports_open on reports (message_id, reporter_id) where status = 'open'",
      "create index reports_by_status on reports (status, id)",
    ]);
  },
};
