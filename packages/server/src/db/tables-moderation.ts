import type { Millis } from "./tables.ts";

/** The mute of one who has left a channel: should he come back, it is his again. */
export interface KeptMutesTable {
  channel_id: number;
  user_id: number;
  muted_until: Millis;
}

/** The same of an agent that was sent away. */
export interface KeptAgentMutesTable {
  channel_id: number;
  agent_id: number;
  muted_until: Millis;
}

/** Who may not take part in a channel. A row past its `until` counts no more; a sweep takes it away. */
export interface ChannelBansTable {
  channel_id: number;
  /** `u<user id>` or `a<agent id>`. */
  member_key: string;
  user_id: number | null;
  agent_id: number | null;
  /** Username of who did it. */
  banned_by: string;
  reason: string | null;
  /** null: until somebody lifts it. */
  until: Millis | null;
  created_at: Millis;
}
