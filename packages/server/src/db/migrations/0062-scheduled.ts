import type { Migration } from "./migration.ts";

/**
 * Messages that are sent later (protocol §13.6). Their channel, thread and files have no foreign keys, because the
 * release before deletes those without knowing of them. It also removes files that were not sent for a day, whatever
 * `kept_until` says: the message then fails.
 */
export const scheduled: Migration = {
  name: "0062-scheduled",
  async up({ columns: c, run }) {
    await run([
      `create table scheduled_messages (
        id ${c.id},
        user_id ${c.integer},
        agent_id ${c.integer},
        key_id ${c.text},
        agent_name ${c.text},
        channel_id ${c.integer} not null,
        content ${c.text} not null,
        reply_to_id ${c.integer},
        thread_root_id ${c.integer},
        also_in_channel ${c.integer} not null,
        file_ids ${c.text},
        send_at ${c.time} not null,
        ${c.oneOf("status", ["waiting", "sending", "sent", "failed", "cancelled"])},
        taken_at ${c.time},
        retry_at ${c.time},
        failure ${c.text},
        message_id ${c.integer},
        request_key ${c.text} unique,
        request_hash ${c.text},
        created_at ${c.time} not null,
        ended_at ${c.time}
      ) ${c.table}`,
      "create index scheduled_due on scheduled_messages (send_at) where ended_at is null",
      "create index scheduled_ended on scheduled_messages (ended_at) where ended_at is not null",
      "create index scheduled_of_user on scheduled_messages (user_id, send_at)",
      "create index scheduled_of_agent on scheduled_messages (agent_id, send_at)",
      `alter table files add column kept_until ${c.time}`,
    ]);
  },
};
