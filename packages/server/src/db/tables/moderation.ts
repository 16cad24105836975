import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

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

export const dataClasses: DataClasses = {
  channel_bans: {
    erased: { delete: "member_key user_id", label: "banned_by", keep: "channel_id agent_id reason until created_at" },
    purged: "delete",
  },
  kept_mutes: { erased: { delete: "user_id", keep: "channel_id muted_until" }, purged: "delete" },
  kept_agent_mutes: { erased: { keep: "channel_id agent_id muted_until" }, purged: "delete" },
};
