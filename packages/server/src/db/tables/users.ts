import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Every name that can be mentioned, users and agents in one namespace. `name_key`: lower case, spaces as `_`. */
export interface NamesTable {
  name_key: string;
  name: string;
  /**
   * The name's visual skeleton, which no two names share (unicode/skeleton.ts). null if an older name had it before
   * skeletons became unique.
   */
  skeleton: string | null;
  kind: "user" | "agent";
  user_id: number | null;
  agent_id: number | null;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  username_key: string;
  /** Not unique: two accounts may give the same address. `confirmed_addresses` says which of them has confirmed it. */
  email: string | null;
  password_hash: string | null;
  evm_address: string | null;
  sol_address: string | null;
  /** When the user proved that the wallet is theirs; null if they have not. */
  evm_proven_at: Millis | null;
  sol_proven_at: Millis | null;
  admin_level: number | null;
  invite_code: string;
  invited_by: number | null;
  suspended_until: Millis | null;
  /** The language of mails to the user: that of their last login or their choice; null: unknown. */
  language: Generated<string | null>;
  created_at: Millis;
  updated_at: Millis;
  /** When the account was deleted; its row is kept, nameless, because others refer to it. */
  erased_at: Millis | null;
}

export interface AvatarsTable {
  user_id: number;
  mime_type: string;
  etag: string;
  bytes: Uint8Array;
}

export interface SessionsTable {
  id: Generated<number>;
  /** SHA-256 of the cookie's token, hex. The token itself is not stored. */
  token_hash: string;
  user_id: number;
  created_at: Millis;
  /** When the password was last entered in this session (reauth, protocol §2). */
  authenticated_at: Millis;
  last_seen_at: Millis;
  /** Absolute expiry: 30 days after creation. Idle expiry is 7 days after `last_seen_at`. */
  expires_at: Millis;
  user_agent: string | null;
  address: string | null;
}

export const dataClasses: DataClasses = {
  names: { erased: { delete: "user_id", keep: "name_key name kind agent_id skeleton" } },
  users: {
    erased: {
      label: "username",
      null: `email password_hash evm_address sol_address admin_level invited_by suspended_until evm_proven_at sol_proven_at language`,
      closing: "username_key invite_code updated_at erased_at",
      keep: "id created_at",
    },
  },
  avatars: { erased: { delete: "user_id", keep: "mime_type etag bytes" } },
  sessions: {
    erased: {
      delete: "user_id",
      keep: "id token_hash created_at authenticated_at last_seen_at expires_at user_agent address",
    },
  },
};
