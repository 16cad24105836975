import type { Migration } from "./migration.ts";

/**
 * Mail (protocol §17). `mails` is the outbox; `mail_addresses` counts what was sent to an address, by the hash of the
 * address. `confirmed_addresses` are beside the accounts: the release before changes an account's address without knowing
 * of them, and a row counts only as long as the account has its address. `address_links` confirm one; only hashes of
 * their tokens are stored.
 */
export const mail: Migration = {
  name: "0073-mail",
  async up({ columns: c, run }) {
    await run([
      `create table mails (
        id ${c.id},
        user_id ${c.integer},
        address ${c.text},
        ${c.oneOf("kind", ["digest", "security_notice", "confirm_address", "reset_password", "invitation"])},
        parameters ${c.text} not null,
        epoch ${c.text} not null,
        ${c.oneOf("state", ["sent", "waiting", "handing_over", "unsure", "refused", "expired", "dropped"])},
        due_at ${c.time} not null,
        expires_at ${c.time} not null,
        tries ${c.integer} not null default 0,
        claimed_until ${c.time} not null default 0,
        message_id ${c.text} not null unique,
        reason ${c.text},
        created_at ${c.time} not null,
        ended_at ${c.time}
      ) ${c.table}`,
      "create index mails_due on mails (due_at) where ended_at is null",
      "create index mails_ended on mails (ended_at) where ended_at is not null",
      "create index mails_of_user on mails (user_id, kind, created_at) where user_id is not null",
      `create table mail_addresses (
        address_hash ${c.text} primary key,
        sent_at ${c.text} not null,
        refusals ${c.integer} not null default 0,
        stopped_at ${c.time},
        updated_at ${c.time} not null
      ) ${c.table}`,
      "create index mail_addresses_by_age on mail_addresses (updated_at)",
      `create table confirmed_addresses (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        address_key ${c.text} not null unique,
        confirmed_at ${c.time} not null
      ) ${c.table}`,
      `create table address_links (
        user_id ${c.integer} primary key references users (id) on delete cascade,
        token_hash ${c.text} not null unique,
        address_key ${c.text} not null,
        expires_at ${c.time} not null
      ) ${c.table}`,
      `alter table users add column language ${c.text}`,
    ]);
  },
};
