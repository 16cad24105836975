import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Browsers in which a user has logged in before. Each has its own counter of wrong passwords (protocol §2). */
export interface LoginDevicesTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the cookie's token, hex. The token itself is not stored. */
  token_hash: string;
  user_agent: string | null;
  created_at: Millis;
  last_used_at: Millis;
}

/** Changes to the security of an account, kept for the account's owner. */
export interface SecurityNoticesTable {
  id: Generated<number>;
  user_id: number;
  kind: string;
  /** The user's own session, an administrator, or the operator at the command line. */
  actor: "self" | "administrator" | "operator";
  /** The account that acted; null for the operator. */
  actor_id: number | null;
  /** A JSON object that depends on `kind`. It never contains a username. */
  details: string;
  created_at: Millis;
  dismissed_at: Millis | null;
}

/** Users and agents that a user has blocked. */
export interface UserBlocksTable {
  blocker_id: number;
  /** `u<user id>` or `a<agent id>`. */
  blocked_key: string;
  /** The blocked user or the blocked agent; the other is null. */
  user_id: number | null;
  agent_id: number | null;
  created_at: Millis;
}

/** Links with which users choose a new password. */
export interface ResetLinksTable {
  user_id: number;
  /** SHA-256 of the link's token, hex. The token itself is not stored. */
  token_hash: string;
  /** A hash of the user's password hash when the link was made. */
  password_mark: string;
  /** The administrator who made the link; null: the operator at the command line. */
  issuer_id: number | null;
  created_at: Millis;
  expires_at: Millis;
}

/** Texts that users were given to sign with a wallet, kept until a day after they expire. */
export interface WalletChallengesTable {
  id: Generated<number>;
  user_id: number;
  chain: "evm" | "solana";
  /** Spelled as in the profile. */
  address: string;
  /** The exact text: only a signature of it is a proof. */
  message: string;
  expires_at: Millis;
  used_at: Millis | null;
}

/** Names of deleted accounts, which nobody may take. Only hashes, so that the names themselves are not stored. */
export interface RetiredNamesTable {
  /** SHA-256 of the name's key, hex. */
  name_hash: string;
  retired_at: Millis;
}

/** Accounts that are being erased, and the progress. The row is deleted when the work is done. */
export interface ErasuresTable {
  user_id: number;
  /** The name to find and remove. */
  username: string;
  started_at: Millis;
  /** The name of the next step; an unknown one restarts from the first. */
  step: string;
  /** The progress within that step: two numbers whose meaning the step defines. */
  place_a: number;
  place_b: number;
}

export const dataClasses: DataClasses = {
  wallet_challenges: { erased: { delete: "user_id", keep: "id chain address message expires_at used_at" } },
  login_devices: { erased: { delete: "user_id", keep: "id token_hash user_agent created_at last_used_at" } },
  reset_links: { erased: { delete: "user_id issuer_id", keep: "token_hash password_mark created_at expires_at" } },
  security_notices: { erased: { delete: "user_id", keep: "id kind actor actor_id details created_at dismissed_at" } },
  user_blocks: { erased: { delete: "blocker_id user_id", keep: "blocked_key agent_id created_at" } },
  retired_names: { erased: { keep: "name_hash retired_at" } },
  erasures: { erased: { delete: "user_id", keep: "username started_at step place_a place_b" } },
};
