import type { RegistrationMode } from "@parley/protocol/site";
import type { DataClasses } from "./data-classes.ts";

export interface SiteTables {
  site: SiteTable;
  site_logo: SiteLogoTable;
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

export const dataClasses: DataClasses = {
  site: { erased: { keep: "id name registration version" } },
  site_logo: { erased: { keep: "id mime_type etag width height bytes" } },
};
