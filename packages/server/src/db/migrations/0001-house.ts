import type { ColumnTypes } from "../columns.ts";
import type { Migration } from "./migration.ts";

/** Creates the first tables, the channel `general`, and the epoch of this incarnation of the data. */
export const house: Migration = {
  name: "0001-house",
  async up({ db, columns, clock, run }) {
    await run([
      ...platform(columns),
      ...accounts(columns),
      ...channels(columns),
      ...messages(columns),
      ...agents(columns),
    ]);
    const now = clock.now();
    await db
      .insertInto("meta")
      .values({ key: "epoch", value: Buffer.from(clock.random(12)).toString("hex") })
      .execute();
    await db
      .insertInto("channels")
      .values({
        name: "general",
        slug: "general",
        is_private: 0,
        password_hash: null,
        owner_id: null,
        topic: null,
        description: null,
        pin_policy: "admins",
        post_policy: "everyone",
        agent_policy: "allow",
        slow_mode_seconds: 0,
        price: null,
        last_seq: 0,
        last_message_at: now,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      .execute();
  },
};

/** The runner creates `meta` and stores the schema's number in it. */
function platform(c: ColumnTypes): string[] {
  return [
    `create table control_log (
      id ${c.id},
      kind ${c.text} not null,
      subject ${c.text} not null,
      created_at ${c.time} not null
    ) ${c.table}`,
    `create table audit_log (
      id ${c.id},
      actor ${c.text} not null,
      action ${c.text} not null,
      subject ${c.text} not null,
      details ${c.text},
      created_at ${c.time} not null
    ) ${c.table}`,
    `create table idempotency_keys (
      actor_key ${c.text} not null,
      key ${c.text} not null,
      route ${c.text} not null,
      body_hash ${c.text} not null,
      status ${c.integer},
      response ${c.text},
      created_at ${c.time} not null,
      primary key (actor_key, key)
    ) ${c.table}`,
    "create index idempotency_keys_by_age on idempotency_keys (created_at)",
  ];
}

function accounts(c: ColumnTypes): string[] {
  return [
    `create table users (
      id ${c.id},
      username ${c.text} not null,
      username_key ${c.text} not null,
      email ${c.text},
      email_key ${c.text},
      password_hash ${c.text},
      evm_address ${c.text},
      sol_address ${c.text},
      admin_level ${c.integer} check (admin_level between 1 and 3),
      invite_code ${c.text} not null,
      invited_by ${c.integer} references users (id),
      suspended_until ${c.time},
      created_at ${c.time} not null,
      updated_at ${c.time} not null
    ) ${c.table}`,
    "create unique index users_username_key on users (username_key)",
    "create unique index users_email_key on users (email_key)",
    "create unique index users_invite_code on users (invite_code)",
    "create index users_by_inviter on users (invited_by) where invited_by is not null",
    `create table avatars (
      user_id ${c.integer} primary key references users (id) on delete cascade,
      mime_type ${c.text} not null,
      etag ${c.text} not null,
      bytes ${c.blob} not null
    ) ${c.table}`,
    `create table sessions (
      id ${c.id},
      token_hash ${c.text} not null,
      user_id ${c.integer} not null references users (id) on delete cascade,
      created_at ${c.time} not null,
      authenticated_at ${c.time} not null,
      last_seen_at ${c.time} not null,
      expires_at ${c.time} not null,
      user_agent ${c.text},
      address ${c.text}
    ) ${c.table}`,
    "create unique index sessions_token_hash on sessions (token_hash)",
    "create index sessions_by_user on sessions (user_id)",
    "create index sessions_by_end on sessions (expires_at)",
  ];
}

function channels(c: ColumnTypes): string[] {
  return [
    `create table channels (
      id ${c.id},
      name ${c.text} not null,
      slug ${c.text} not null,
      ${c.flag("is_private")},
      password_hash ${c.text},
      owner_id ${c.integer} references users (id),
      topic ${c.text},
      description ${c.text},
      ${c.oneOf("pin_policy", ["admins", "members"])},
      ${c.oneOf("post_policy", ["everyone", "admins"])},
      ${c.oneOf("agent_policy", ["allow", "mention_only", "deny"])},
      slow_mode_seconds ${c.integer} not null check (slow_mode_seconds >= 0),
      price ${c.text},
      last_seq ${c.integer} not null check (last_seq >= 0),
      last_message_at ${c.time} not null,
      created_at ${c.time} not null,
      updated_at ${c.time} not null,
      deleted_at ${c.time},
      check (password_hash is null or is_private = 1)
    ) ${c.table}`,
    // Deleting a channel frees its slug at once; a restore must choose another one if it was taken.
    "create unique index channels_slug on channels (slug) where deleted_at is null",
    "create index channels_by_owner on channels (owner_id)",
    `create table channel_members (
      channel_id ${c.integer} not null references channels (id) on delete cascade,
      user_id ${c.integer} not null references users (id) on delete cascade,
      ${c.oneOf("role", ["owner", "admin", "member"])},
      muted_until ${c.time},
      joined_at ${c.time} not null,
      primary key (channel_id, user_id)
    ) ${c.clusteredTable}`,
    "create index channel_members_by_user on channel_members (user_id)",
  ];
}

/**
 * The hot path. No foreign keys here: the append queue creates every row and locks the channel's row; users, agents and
 * channels are never deleted for good; and on PostgreSQL each key would lock the referenced row once per message.
 */
function messages(c: ColumnTypes): string[] {
  return [
    `create table messages (
      id ${c.lastingId},
      channel_id ${c.integer} not null,
      seq ${c.integer} not null,
      ${c.oneOf("type", ["text", "sticker", "red_packet", "system"])},
      content ${c.text} not null,
      ${c.oneOf("sender_type", ["user", "agent", "system"])},
      user_id ${c.integer},
      agent_id ${c.integer},
      sender_name ${c.text} not null,
      client_msg_id ${c.text},
      client_key ${c.text},
      client_hash ${c.text},
      reply_to_id ${c.integer},
      mentions ${c.text},
      sticker_id ${c.integer},
      packet_id ${c.integer},
      pinned_at ${c.time},
      pinned_by ${c.text},
      edited_at ${c.time},
      deleted_at ${c.time},
      created_at ${c.time} not null
    ) ${c.table}`,
    "create unique index messages_seq on messages (channel_id, seq)",
    "create unique index messages_client_key on messages (client_key) where client_key is not null",
    "create index messages_pinned on messages (channel_id, pinned_at) where pinned_at is not null",
    `create table channel_events (
      channel_id ${c.integer} not null,
      seq ${c.integer} not null,
      event ${c.text} not null,
      message_id ${c.integer},
      data ${c.text} not null,
      created_at ${c.time} not null,
      primary key (channel_id, seq)
    ) ${c.clusteredTable}`,
    `create table mentions (
      id ${c.id},
      agent_id ${c.integer} not null,
      agent_name ${c.text} not null,
      channel_id ${c.integer} not null,
      message_id ${c.integer} not null,
      created_at ${c.time} not null,
      removed_at ${c.time}
    ) ${c.table}`,
    "create index mentions_by_agent on mentions (agent_id, removed_at, id)",
    "create index mentions_by_message on mentions (message_id)",
    "create index mentions_removed on mentions (removed_at) where removed_at is not null",
  ];
}

function agents(c: ColumnTypes): string[] {
  return [
    `create table agents (
      id ${c.id},
      owner_user_id ${c.integer} references users (id),
      ${c.flag("owner_verified")},
      ${c.flag("paused")},
      last_seen_at ${c.time},
      dropped_mentions ${c.integer} not null check (dropped_mentions >= 0),
      created_at ${c.time} not null
    ) ${c.table}`,
    "create index agents_by_owner on agents (owner_user_id) where owner_user_id is not null",
    `create table api_keys (
      id ${c.text} primary key,
      agent_id ${c.integer} not null references agents (id) on delete cascade,
      secret_hash ${c.text} not null,
      created_at ${c.time} not null,
      last_used_at ${c.time},
      revoked_at ${c.time}
    ) ${c.table}`,
    "create index api_keys_by_agent on api_keys (agent_id)",
    `create table names (
      name_key ${c.text} primary key,
      name ${c.text} not null,
      ${c.oneOf("kind", ["user", "agent"])},
      user_id ${c.integer} references users (id),
      agent_id ${c.integer} references agents (id),
      check ((kind = 'user' and agent_id is null) or (kind = 'agent' and user_id is null))
    ) ${c.table}`,
    "create index names_by_user on names (user_id) where user_id is not null",
    "create index names_by_agent on names (agent_id) where agent_id is not null",
    `create table channel_agents (
      channel_id ${c.integer} not null references channels (id) on delete cascade,
      agent_id ${c.integer} not null references agents (id) on delete cascade,
      added_by ${c.integer} references users (id),
      muted_until ${c.time},
      joined_at ${c.time} not null,
      primary key (channel_id, agent_id)
    ) ${c.clusteredTable}`,
    "create index channel_agents_by_agent on channel_agents (agent_id)",
    `create table agent_presence (
      channel_id ${c.integer} not null references channels (id) on delete cascade,
      agent_id ${c.integer} not null references agents (id) on delete cascade,
      name_key ${c.text} not null,
      agent_name ${c.text} not null,
      since ${c.time} not null,
      primary key (channel_id, name_key, agent_id)
    ) ${c.clusteredTable}`,
    "create index agent_presence_by_agent on agent_presence (agent_id)",
  ];
}
