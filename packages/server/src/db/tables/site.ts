import type { RegistrationMode } from "@parley/protocol/site";
import type { Generated } from "kysely";
import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

export interface SiteTables {
  site: SiteTable;
  site_logo: SiteLogoTable;
  invitations: InvitationsTable;
}

/** The settings of the site that administrators change: one row, whose id is 0. */
export interface SiteTable {
  id: number;
  /** null: the default, as in `registration`. */
  name: string | null;
  registration: RegistrationMode | null;
  /** How often the settings were changed. */
  version: number;
}

/** The site's logo: no row, or one, whose id is 0. */
export interface SiteLogoTable {
  id: number;
  mime_type: string;
  /** The value of the ETag header, including its quotes. */
  etag: string;
  width: number;
  height: number;
  bytes: Uint8Array;
}

/** Invitations that users make beside their own code. */
export interface InvitationsTable {
  id: Generated<number>;
  code: string;
  /** The user who invites. */
  user_id: number;
  created_at: Millis;
  expires_at: Millis;
  /** How many accounts it makes at most, and how many it has made. */
  uses_max: number;
  uses: number;
  revoked_at: Millis | null;
}

export const dataClasses: DataClasses = {
  site: { erased: { keep: "id name registration version" } },
  site_logo: { erased: { keep: "id mime_type etag width height bytes" } },
  invitations: {
    erased: { delete: "user_id", keep: "id code created_at expires_at uses_max uses revoked_at" },
  },
};
