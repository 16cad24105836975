import type { Generated } from "kysely";
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
  /** The consumer's name, such as `search`. */
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
}
