import type { RegistrationMode } from "@parley/protocol/site";
import type { Insertable } from "kysely";
import type { Db } from "../db/db.ts";
import { holdRows, shareRows } from "../db/dialect.ts";
import type { SiteLogoTable } from "../db/tables/site.ts";

/** The id of the only row. */
const SITE = 0;

/** The settings that administrators have made; null: not set. */
export interface StoredSite {
  name: string | null;
  registration: RegistrationMode | null;
  version: number;
  logo: { etag: string; mimeType: string; width: number; height: number } | null;
}

const rowOfSite = (db: Db) => db.selectFrom("site").select(["name", "registration", "version"]).where("id", "=", SITE);

/** Reads the settings. */
export async function findSite(db: Db): Promise<StoredSite> {
  const row = await rowOfSite(db).executeTakeFirstOrThrow();
  const logo = await db
    .selectFrom("site_logo")
    .select(["etag", "mime_type as mimeType", "width", "height"])
    .where("id", "=", SITE)
    .executeTakeFirst();
  return { ...row, logo: logo ?? null };
}

/** Reads who may register; inside a transaction that stays so until it ends. */
export const sharedRegistration = async (db: Db): Promise<RegistrationMode | null> =>
  (await shareRows(db, rowOfSite(db)).executeTakeFirstOrThrow()).registration;

/** Reads the settings, and holds them against other changes until the transaction ends. */
export async function heldSite(db: Db): Promise<StoredSite> {
  await holdRows(db, rowOfSite(db)).executeTakeFirstOrThrow();
  return findSite(db);
}

/** Changes settings; `undefined` leaves one as it is. */
export async function updateSite(db: Db, change: Partial<Omit<StoredSite, "logo">>): Promise<void> {
  await db.updateTable("site").set(change).where("id", "=", SITE).execute();
}

export async function putLogo(db: Db, logo: Omit<Insertable<SiteLogoTable>, "id">): Promise<void> {
  await db
    .insertInto("site_logo")
    .values({ id: SITE, ...logo })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(logo))
    .execute();
}

export async function removeLogo(db: Db): Promise<void> {
  await db.deleteFrom("site_logo").where("id", "=", SITE).execute();
}

/** Returns the bytes of the logo; null if there is none. */
export async function findLogoBytes(db: Db): Promise<{ etag: string; mimeType: string; bytes: Uint8Array } | null> {
  const row = await db
    .selectFrom("site_logo")
    .select(["etag", "mime_type as mimeType", "bytes"])
    .where("id", "=", SITE)
    .executeTakeFirst();
  return row ?? null;
}
