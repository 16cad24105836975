import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Accounts that an import made for people of the source. A row stays when somebody claims the account. */
export interface ClaimableAccountsTable {
  user_id: number;
  import_id: number;
  /** The first login; null: nobody has claimed it yet. */
  claimed_at: Millis | null;
}

/** Links with which people claim their accounts, at most one for each account. */
export interface ClaimLinksTable {
  user_id: number;
  /** SHA-256 of the link's token, hex. The token itself is not stored. */
  token_hash: string;
  created_at: Millis;
  expires_at: Millis;
}

/** The tables of accounts that people claim, a part of `Tables`. */
export interface ClaimableTables {
  claimable_accounts: ClaimableAccountsTable;
  claim_links: ClaimLinksTable;
}

export const dataClasses: DataClasses = {
  claimable_accounts: { erased: { delete: "user_id", keep: "import_id claimed_at" } },
  claim_links: { erased: { delete: "user_id", keep: "token_hash created_at expires_at" } },
};
