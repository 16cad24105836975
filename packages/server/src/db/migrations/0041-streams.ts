import type { Migration } from "./migration.ts";

/**
 * Messages that their agents are still writing (protocol §12.7), with the text so far. A finished stream keeps its row
 * without the text, so that repeating `finish` repeats its answer. `message_id` has no foreign key, because the release
 * before this one deletes messages without knowing of streams.
 */
export const streams: Migration = {
  name: "0041-streams",
  async up({ columns: c, run }) {
    await run([
      `alter table messages add column stream_id ${c.integer}`,
      `create table streams (
        id ${c.id},
        agent_id ${c.integer} not null references agents (id),
        key_id ${c.text} not null,
        channel_id ${c.integer} not null,
        agent_name ${c.text} not null,
        client_msg_id ${c.text} not null,
        reply_to_id ${c.integer},
        thread_root_id ${c.integer},
        also_in_channel ${c.integer} not null,
        ${c.oneOf("state", ["open", "finished", "cancelled"])},
        content ${c.text} not null,
        length ${c.integer} not null,
        status ${c.text},
        message_id ${c.integer},
        finish_reason ${c.text},
        created_at ${c.time} not null,
        appended_at ${c.time} not null,
        ended_at ${c.time}
      ) ${c.table}`,
      "create unique index streams_by_key on streams (agent_id, client_msg_id)",
      "create index streams_open on streams (channel_id) where state = 'open'",
      "create index streams_cancelled on streams (ended_at) where state = 'cancelled'",
      "create index streams_message on streams (message_id) where message_id is not null",
    ]);
  },
};
