import type { Millis } from "./tables.ts";

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
