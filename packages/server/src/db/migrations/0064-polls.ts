import type { Migration } from "./migration.ts";

/**
 * Polls (protocol §13.7). `messages.card` has what a poll asks and how it stands; `polls` says when it ends, and
 * `poll_votes` who chose what. Their messages have no foreign keys, because the release before deletes those without
 * knowing of polls: a job removes what is left.
 */
export const polls: Migration = {
  name: "0064-polls",
  async up({ columns: c, run }) {
    await run([
      `create table polls (
        message_id ${c.integer} primary key,
        channel_id ${c.integer} not null,
        closes_at ${c.time},
        closed_at ${c.time}
      ) ${c.table}`,
      "create index polls_due on polls (closes_at) where closed_at is null and closes_at is not null",
      `create table poll_votes (
        id ${c.id},
        message_id ${c.integer} not null references polls (message_id) on delete cascade,
        option_id ${c.integer} not null,
        user_id ${c.integer},
        created_at ${c.time} not null
      ) ${c.table}`,
      "create unique index poll_votes_once on poll_votes (message_id, user_id, option_id)",
      "create index poll_votes_of_option on poll_votes (message_id, option_id, id)",
      "create index poll_votes_of_user on poll_votes (user_id, id) where user_id is not null",
    ]);
  },
};
