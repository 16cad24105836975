import type { Migration } from "./migration.ts";

/**
 * Cards. `messages.card` is the card as the message shows it; `interactions` has the state of its question, under the
 * message's id, and outlives the message. The background job looks at an open interaction from `due_at` on:
 * when it expires, or at once if `cancel_reason` is set. To the release before this one a message with a card is an
 * ordinary one, whose `card` it neither shows nor empties; the job notices when such a message is deleted.
 */
export const cards: Migration = {
  name: "0040-cards",
  async up({ columns: c, run }) {
    await run([
      `alter table messages add column card ${c.text}`,
      `create table interactions (
        message_id ${c.integer} primary key,
        channel_id ${c.integer} not null,
        agent_id ${c.integer} not null,
        agent_name ${c.text} not null,
        ${c.oneOf("kind", ["approval", "choice", "open"])},
        who ${c.text} not null,
        quorum ${c.integer} not null,
        ${c.oneOf("status", ["open", "decided", "expired", "cancelled"])},
        expires_at ${c.time} not null,
        due_at ${c.time} not null,
        cancel_reason ${c.text},
        result_press_id ${c.integer},
        press_count ${c.integer} not null,
        decided_at ${c.time},
        payload_hash ${c.text} not null,
        receipt ${c.text},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create index interactions_due on interactions (due_at) where status = 'open'",
      "create index interactions_of_agent on interactions (agent_id) where status = 'open'",
      "create index interactions_of_channel on interactions (channel_id) where status = 'open'",
      "create index interactions_ended on interactions (decided_at) where decided_at is not null",
      `create table interaction_users (
        message_id ${c.integer} not null references interactions (message_id) on delete cascade,
        user_id ${c.integer} not null,
        primary key (message_id, user_id)
      ) ${c.clusteredTable}`,
      "create index interaction_users_by_user on interaction_users (user_id)",
      `create table interaction_presses (
        id ${c.id},
        message_id ${c.integer} not null references interactions (message_id) on delete cascade,
        user_id ${c.integer},
        action_id ${c.text} not null,
        choice ${c.text} not null,
        created_at ${c.time} not null
      ) ${c.table}`,
      "create unique index interaction_presses_once on interaction_presses (message_id, user_id, action_id, choice)",
      "create index interaction_presses_newest on interaction_presses (message_id, id)",
      "create index interaction_presses_by_user on interaction_presses (user_id) where user_id is not null",
      `create table signing_keys (
        generation ${c.integer} primary key,
        key_id ${c.text} not null,
        public_key ${c.text} not null,
        private_key ${c.text} not null,
        created_at ${c.time} not null,
        retired_at ${c.time}
      ) ${c.table}`,
    ]);
  },
};
