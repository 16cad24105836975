import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

export interface AgentsTable {
  id: Generated<number>;
  owner_user_id: number | null;
  owner_verified: Flag;
  paused: Flag;
  /** True if a moderator paused it; its owner cannot undo that. */
  paused_by_staff: Generated<Flag>;
  /** The last call with any of its keys, written every few seconds at most. */
  last_seen_at: Millis | null;
  /** Mentions dropped because more than 1,000 were pending. */
  dropped_mentions: number;
  /** The users with whom it has direct conversations. */
  dm_policy: Generated<"everyone" | "owner" | "nobody">;
  /** False if its bots in the Telegram door get every message of their channels. */
  telegram_privacy: Generated<Flag>;
  /** When a node last knew a socket, event stream or long poll of it to be open; null: it has none, and only calls. */
  held_at: Generated<Millis | null>;
  /** Since when its connections are gone; null: they are not. */
  away_at: Generated<Millis | null>;
  created_at: Millis;
}

export interface ApiKeysTable {
  /** 12 base62 characters, shown in lists as `ply_<id>`. */
  id: string;
  agent_id: number;
  secret_hash: string;
  created_at: Millis;
  last_used_at: Millis | null;
  /** Set on revocation or, on rotation, to the end of the grace period. The key is refused from then on. */
  revoked_at: Millis | null;
  /** The scopes of the key, separated by commas; null: everything. */
  scopes: Generated<string | null>;
  /** JSON list of the ids of the channels to which it is limited; null: everywhere. */
  channels: Generated<string | null>;
  /** The end that it was given when it was made. `revoked_at` is then that time, or an earlier one. */
  expires_at: Generated<Millis | null>;
}

/** The channels in which agents are logged in; survives a restart. */
export interface AgentPresenceTable {
  channel_id: number;
  agent_id: number;
  name_key: string;
  agent_name: string;
  since: Millis;
}

/** The kinds of items that are made only for agents that asked. */
export type AskedKind = "reply" | "command" | "message" | "edit" | "reaction" | "membership";

/** The names of agents that asked for more kinds of items. A row stays when it asks for none any more. */
export interface InboxKindsTable {
  name_key: string;
  agent_id: number;
  agent_name: string;
  /** The kinds for which the agent asked, separated by commas. */
  kinds: Generated<string>;
  /** Those for which its bot in the Telegram door asked. */
  telegram_kinds: Generated<string>;
}

/** The inbox of agents: pending items, committed with what they report. Removed ones stay readable for 24 h. */
export interface MentionsTable {
  id: Generated<number>;
  agent_id: number;
  /** Empty for a notice that concerns the agent under all its names. */
  agent_name: string;
  /** 0 for a notice that concerns no channel. */
  channel_id: number;
  /** 0 for a notice. */
  message_id: number;
  kind: Generated<"mention" | "direct" | "press" | "decision" | "notice" | AskedKind>;
  /** JSON: the notice as on the wire, or what a `reaction` is about; null for any other item with a message. */
  notice: Generated<string | null>;
  created_at: Millis;
  removed_at: Millis | null;
}

export const dataClasses: DataClasses = {
  mentions: {
    erased: { keep: "id agent_id agent_name channel_id message_id created_at removed_at kind notice" },
    purged: "delete",
  },
  agents: {
    erased: {
      null: "owner_user_id",
      agents: "owner_verified",
      keep: "id paused last_seen_at dropped_mentions created_at paused_by_staff dm_policy telegram_privacy held_at away_at",
    },
  },
  api_keys: {
    erased: {
      closing: "revoked_at",
      keep: "id agent_id secret_hash created_at last_used_at scopes channels expires_at",
    },
  },
  inbox_kinds: { erased: { delete: "agent_id", keep: "name_key agent_name kinds telegram_kinds" } },
  agent_presence: { erased: { delete: "agent_id", keep: "channel_id name_key agent_name since" }, purged: "delete" },
};
