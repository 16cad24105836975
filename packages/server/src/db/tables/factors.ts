import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The authenticator app of a user. */
export interface TotpSecretsTable {
  user_id: number;
  /** Base32. As other secrets of the server, it is stored as it is: whoever can read the database could use it. */
  secret: string;
  /** The last 30-second step whose code was used; -1: none. */
  last_step: number;
  created_at: Millis;
  /** null: set-up waits for the first code. */
  confirmed_at: Millis | null;
}

/** Unused recovery codes. A used one is deleted. */
export interface RecoveryCodesTable {
  user_id: number;
  /** SHA-256, hex. */
  code_hash: string;
}

/** Logins whose password was right and that wait for a second factor. */
export interface LoginChallengesTable {
  id: Generated<number>;
  /** SHA-256 of the challenge's id, hex. The id itself is not stored. */
  id_hash: string;
  user_id: number;
  /** A hash of the user's password hash at the login. */
  password_mark: string;
  tries: number;
  expires_at: Millis;
}

/** Passkeys of users. */
export interface PasskeysTable {
  id: Generated<number>;
  user_id: number;
  /** Base64url. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** How often the authenticator has signed; 0 for those that do not count. */
  counter: number;
  /** A JSON list: how browsers reach the authenticator. */
  transports: string;
  name: string;
  is_synced: Flag;
  created_at: Millis;
  last_used_at: Millis | null;
}

/** Challenges of passkeys, each for one use. */
export interface PasskeyChallengesTable {
  id: Generated<number>;
  /** Base64url. */
  challenge: string;
  /** The user who adds a passkey; null for a login. */
  user_id: number | null;
  expires_at: Millis;
}

export interface FactorTables {
  totp_secrets: TotpSecretsTable;
  recovery_codes: RecoveryCodesTable;
  login_challenges: LoginChallengesTable;
  passkeys: PasskeysTable;
  passkey_challenges: PasskeyChallengesTable;
}

export const dataClasses: DataClasses = {
  totp_secrets: { erased: { delete: "user_id", keep: "secret last_step created_at confirmed_at" } },
  recovery_codes: { erased: { delete: "user_id", keep: "code_hash" } },
  login_challenges: { erased: { delete: "user_id", keep: "id id_hash password_mark tries expires_at" } },
  passkeys: {
    erased: {
      delete: "user_id",
      keep: "id credential_id public_key counter transports name is_synced created_at last_used_at",
    },
  },
  passkey_challenges: { erased: { delete: "user_id", keep: "id challenge expires_at" } },
};
