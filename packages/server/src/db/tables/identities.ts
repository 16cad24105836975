import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Accounts of users at an OpenID Connect provider (protocol §13.9). */
export interface IdentitiesTable {
  id: Generated<number>;
  user_id: number;
  /** The provider, and its name for the account; together they are unique and never change. */
  issuer: string;
  subject: string;
  /** The provider's last label of the account, which its owner sees. It decides nothing. */
  label: string | null;
  created_at: Millis;
  /** Null until the first login; a linked identity may have none. */
  last_login_at: Millis | null;
}

/** Sessions that began with an identity; they end when the provider says so. */
export interface IdentitySessionsTable {
  session_id: number;
  identity_id: number;
  /** The provider's id of its own session (`sid`); null if it named none. */
  provider_session: string | null;
}

/** Hashes of what may be used only once, until it could not be used anyway. */
export interface UsedOnceTable {
  hash: string;
  expires_at: Millis;
}

export interface IdentityTables {
  identities: IdentitiesTable;
  identity_sessions: IdentitySessionsTable;
  used_once: UsedOnceTable;
}

export const dataClasses: DataClasses = {
  identities: { erased: { delete: "user_id", keep: "id issuer subject label created_at last_login_at" } },
  identity_sessions: { erased: { delete: "session_id identity_id", keep: "provider_session" } },
  used_once: { erased: { keep: "hash expires_at" } },
};
