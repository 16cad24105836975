import type { SiteSettings, UpdateSiteBody } from "@parley/protocol/site";
import { audit } from "../audit/audit.ts";
import { siteName as parseName } from "../config/parse.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { publishControl } from "../realtime/control/control.ts";
import { findSite, heldSite, putLogo, removeLogo, updateSite } from "./site.store.ts";
import { inForce, siteNow } from "./site.ts";

/** The version of a picture on the wire: its ETag without the quotes. */
const versionOf = (etag: string): string => etag.slice(1, -1);

/** Returns the version of the logo on the wire. */
export const logoVersion = (logo: { etag: string } | null): string | null =>
  logo === null ? null : versionOf(logo.etag);

/** A logo that was checked and encoded again. */
export interface Logo {
  mimeType: string;
  etag: string;
  width: number;
  height: number;
  bytes: Uint8Array;
}

/** A change of the settings, with the logo as it will be stored. */
export type SiteChange = Omit<UpdateSiteBody, "logo"> & { logo?: Logo | null | undefined };

/** Returns the settings as administrators see them. The caller checks the level. */
export const siteSettings = async (ctx: AppContext): Promise<SiteSettings> => record(ctx, await siteNow(ctx));

function record(ctx: AppContext, { name, registration, version, logo }: Awaited<ReturnType<typeof siteNow>>) {
  const { siteName, registration: policy } = ctx.config;
  return {
    name,
    registration,
    logo: logoVersion(logo),
    version,
    locked: {
      name: siteName === null ? null : "PARLEY_SITE_NAME",
      registration: policy === null ? null : "PARLEY_REGISTRATION",
    },
  };
}

/**
 * Refuses what cannot be changed, before a picture is decoded.
 * @throws no_fields, setting_locked, invalid_request (a name without visible characters)
 */
export function checkSiteChange(ctx: AppContext, { name, registration, logo }: UpdateSiteBody): void {
  if (name === undefined && registration === undefined && logo === undefined) throw fail("no_fields");
  const { siteName, registration: policy } = ctx.config;
  if (name !== undefined && siteName !== null) throw locked("PARLEY_SITE_NAME");
  if (registration !== undefined && policy !== null) throw locked("PARLEY_REGISTRATION");
  if (typeof name === "string") checkedName(name);
}

const locked = (variable: string) => fail("setting_locked", { details: { variable } });

function checkedName(name: string): string {
  try {
    return parseName(name);
  } catch (error) {
    throw fail("invalid_request", { details: [{ path: "name", message: (error as Error).message }] });
  }
}

/**
 * Changes the settings of the site, on all nodes within 2 s. The caller checks the level. Audited with what was there
 * before.
 * @throws site_changed and the errors of `checkSiteChange`
 */
export async function changeSite(ctx: AppContext, caller: UserIdentity, change: SiteChange): Promise<SiteSettings> {
  const { registration, logo, version: expected } = change;
  const name = typeof change.name === "string" ? checkedName(change.name) : change.name;
  return transact(ctx, async (ctx) => {
    const before = await heldSite(ctx.db);
    if (expected !== undefined && expected !== before.version) {
      throw fail("site_changed", { details: { version: before.version } });
    }
    const version = before.version + 1;
    await updateSite(ctx.db, { name, registration, version });
    if (logo === null) await removeLogo(ctx.db);
    else if (logo !== undefined) {
      const { mimeType, ...picture } = logo;
      await putLogo(ctx.db, { mime_type: mimeType, ...picture });
    }
    const [was, is] = [inForce(ctx, before), inForce(ctx, await findSite(ctx.db))];
    await audit(ctx, caller, "site_update", `site:${version}`, {
      ...(name === undefined ? {} : { name: is.name, name_before: was.name }),
      ...(registration === undefined ? {} : { registration: is.registration, registration_before: was.registration }),
      ...(logo === undefined ? {} : { logo: logo === null ? "removed" : "changed" }),
    });
    publishControl(ctx, "site_changed", version);
    return record(ctx, is);
  });
}
