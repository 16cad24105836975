import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

export interface ChannelsTable {
  id: Generated<number>;
  name: string;
  slug: string;
  is_private: Flag;
  password_hash: string | null;
  /** null: `system` owns it (protocol §10). */
  owner_id: number | null;
  topic: string | null;
  description: string | null;
  pin_policy: "admins" | "members";
  post_policy: "everyone" | "admins";
  agent_policy: "allow" | "mention_only" | "deny";
  /** The members who may call everybody who is online, with `@here`. */
  here_by: Generated<"members" | "admins">;
  slow_mode_seconds: number;
  /** JSON {role, quorum}; null: none. */
  approval_rule: Generated<string | null>;
  /** JSON {amount, currency, chain_id}. */
  price: string | null;
  /** The gapless counter of durable events: the last number assigned. */
  last_seq: number;
  /** `created_at` of the newest message; messages of a channel never go back in time. */
  last_message_at: Millis;
  created_at: Millis;
  updated_at: Millis;
  deleted_at: Millis | null;
  /** When its content was deleted for good; the empty row is kept for references to it. */
  purged_at: Millis | null;
  /** The channel's own limit for the age of messages; null: the server's. */
  retention_days: Generated<number | null>;
  keep_pinned: Generated<Flag>;
  /** Until then nothing is deleted for its age; null or past: not held. */
  held_until: Generated<Millis | null>;
  hold_reason: Generated<string | null>;
  /** Links in new messages get previews. */
  link_previews: Generated<Flag>;
  /** How many messages were removed for their age, or had expired. */
  purged_messages: Generated<number>;
  /** Messages older than this were removed; null: none yet. */
  purged_before: Generated<Millis | null>;
}

export interface ChannelMembersTable {
  channel_id: number;
  user_id: number;
  role: "owner" | "admin" | "member";
  muted_until: Millis | null;
  joined_at: Millis;
  /** Later messages by others are unread. */
  last_read_seq: Generated<number>;
  /** The user marked the messages from here on as unread; null: they did not, or have read them since. */
  unread_from_seq: Generated<number | null>;
  /** Which messages notify the user; null: those of their default (`user_preferences`). */
  notify_level: Generated<"all" | "mentions" | "none" | null>;
  is_muted: Generated<Flag>;
  is_favourite: Generated<Flag>;
  /** The section of the user's list that shows the channel. */
  section: Generated<string | null>;
}

/** Agents that were added to a channel (their only way into a private one without a password). */
export interface ChannelAgentsTable {
  channel_id: number;
  agent_id: number;
  added_by: number | null;
  muted_until: Millis | null;
  joined_at: Millis;
}

/**
 * Durable events other than `message:new` (which is its row in `messages`). `data` holds only what the event adds: an
 * event that carries a message is rebuilt with the message as it is now, so no log contains a deleted text. A row may
 * be a span (event-spans.ts).
 */
export interface ChannelEventsTable {
  channel_id: number;
  seq: number;
  event: string;
  message_id: number | null;
  data: string;
  created_at: Millis;
}

/**
 * A conversation of exactly two users: one row per pair, so that both get the same channel when they open it at once.
 */
export interface DirectChannelsTable {
  /** The smaller id of the two. */
  low_user_id: number;
  high_user_id: number;
  channel_id: number;
  /**
   * The channel's `last_seq` when that user closed it, which hides it from their list until a later message; null: not
   * closed.
   */
  low_closed_seq: number | null;
  high_closed_seq: number | null;
}

/** The direct conversation of a user with an agent, under one of its names. */
export interface DirectAgentsTable {
  user_id: number;
  name_key: string;
  agent_id: number;
  agent_name: string;
  channel_id: number;
  /** As `low_closed_seq` of `DirectChannelsTable`, for the user. */
  closed_seq: number | null;
}

/** A consumer's cursor in a channel; no row: at the channel's beginning. */
export interface ChannelCursorsTable {
  /** The consumer's name, such as `activity`. */
  purpose: string;
  channel_id: number;
  /** Every durable event up to this number is processed. */
  seq: number;
}

/** Preferences of a user for all of their channels; no row: the defaults. */
export interface UserPreferencesTable {
  user_id: number;
  notify_default: Generated<"all" | "mentions" | "none">;
  sorting: Generated<"name" | "activity">;
  push_previews: Generated<Flag>;
  /** Local times `HH:MM`; both or none. */
  quiet_from: Generated<string | null>;
  quiet_to: Generated<string | null>;
  /** The time zone of the quiet hours; null: UTC. */
  zone: Generated<string | null>;
  muted_until: Generated<Millis | null>;
  digest: Generated<"off" | "away" | "daily">;
  /** 1: digests contain the beginnings of the texts. */
  mail_previews: Generated<Flag>;
}

/** The key of a message that expired, so that a retry does not send it again. Names nobody: the key is hashed. */
export interface SpentKeysTable {
  /** SHA-256 of `client_key`, Base64. */
  key_hash: string;
  /** The `client_hash` of the message. */
  client_hash: string | null;
  message_id: number;
  seq: number;
  sent_at: Millis;
  expired_at: Millis;
}

export const dataClasses: DataClasses = {
  user_preferences: {
    erased: {
      delete: "user_id",
      keep: "notify_default sorting push_previews quiet_from quiet_to zone muted_until digest mail_previews",
    },
  },
  channels: {
    erased: {
      null: "owner_id",
      "conversations agent_conversations": "name deleted_at",
      reactions: "last_seq",
      keep: `id slug is_private password_hash topic description pin_policy post_policy agent_policy here_by slow_mode_seconds approval_rule price
      last_message_at created_at updated_at purged_at retention_days keep_pinned held_until hold_reason
      purged_messages purged_before link_previews`,
    },
    purged: {
      null: "password_hash owner_id topic description price held_until hold_reason",
      purge: "name slug last_seq deleted_at purged_at",
      keep: `id is_private pin_policy post_policy agent_policy here_by slow_mode_seconds approval_rule last_message_at created_at updated_at
      retention_days keep_pinned purged_messages purged_before link_previews`,
    },
  },
  channel_members: {
    erased: {
      delete: "user_id",
      keep: "channel_id role muted_until joined_at last_read_seq unread_from_seq notify_level is_muted is_favourite section",
    },
    purged: "delete",
  },
  channel_agents: { erased: { keep: "channel_id agent_id added_by muted_until joined_at" }, purged: "delete" },
  channel_events: { erased: { events: "data", keep: "channel_id seq event message_id created_at" }, purged: "delete" },
  channel_cursors: { erased: { keep: "purpose channel_id seq" }, purged: "keep" },
  spent_keys: { erased: { keep: "key_hash client_hash message_id seq sent_at expired_at" }, purged: "keep" },
  direct_agents: {
    erased: { null: "closed_seq", keep: "user_id name_key agent_id agent_name channel_id" },
    purged: "keep",
  },
  direct_channels: {
    erased: { null: "low_closed_seq high_closed_seq", keep: "low_user_id high_user_id channel_id" },
    purged: "keep",
  },
};
