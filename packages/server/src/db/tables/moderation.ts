import type { Millis } from "../columns.ts";

/** The mute of a user who has left a channel; it applies again if they return. */
export interface KeptMutesTable {
  channel_id: number;
  user_id: number;
  muted_until: Millis;
}

/** Like `KeptMutesTable`, for an agent that was removed. */
export interface KeptAgentMutesTable {
  channel_id: number;
  agent_id: number;
  muted_until: Millis;
}

/** Users and agents who are banned from a channel. A row past its `until` no longer counts; a sweep deletes it. */
export interface ChannelBansTable {
  channel_id: number;
  /** `u<user id>` or `a<agent id>`. */
  member_key: string;
  user_id: number | null;
  agent_id: number | null;
  /** Username of the person who banned them. */
  banned_by: string;
  reason: string | null;
  /** null: until it is lifted. */
  until: Millis | null;
  created_at: Millis;
}
