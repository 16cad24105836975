import type { RegistrationMode } from "@parley/protocol/site";
import { type AppContext, perServer } from "../context.ts";
import { rowCache, rowOf } from "../realtime/control/row-cache.ts";
import { findLogoBytes, findSite, type StoredSite, sharedRegistration } from "./site.store.ts";

const DEFAULT_NAME = "Parley";
const DEFAULT_REGISTRATION: RegistrationMode = "open";
const SITE = 0;

/** The settings that administrators have made. */
const stored = perServer((ctx) => rowCache<number, StoredSite>(ctx, 1, { site_changed: (kept) => kept.forget(SITE) }));

const storedSite = (ctx: AppContext): StoredSite | Promise<StoredSite> => rowOf(ctx, stored(ctx), SITE, findSite);

/** The settings that apply: those of the environment, then those of administrators, then the defaults. */
export interface SiteInForce {
  name: string;
  registration: RegistrationMode;
  version: number;
  logo: StoredSite["logo"];
}

/** Returns the settings that apply to these stored ones. */
export function inForce(
  { config }: Pick<AppContext, "config">,
  { name, registration, version, logo }: StoredSite,
): SiteInForce {
  return {
    name: config.siteName ?? name ?? DEFAULT_NAME,
    registration: config.registration ?? registration ?? DEFAULT_REGISTRATION,
    version,
    logo,
  };
}

/** Returns the settings that apply, at most 2 s after another node has changed them. */
export const siteNow = async (ctx: AppContext): Promise<SiteInForce> => inForce(ctx, await storedSite(ctx));

/** Returns the name of the site. */
export const siteName = async (ctx: AppContext): Promise<string> =>
  ctx.config.siteName ?? (await storedSite(ctx)).name ?? DEFAULT_NAME;

/** Returns who may register. Inside a transaction nobody changes that until it ends. */
export async function registrationNow(ctx: AppContext): Promise<RegistrationMode> {
  if (ctx.config.registration !== null) return ctx.config.registration;
  const chosen = ctx.db.isTransaction ? await sharedRegistration(ctx.db) : (await storedSite(ctx)).registration;
  return chosen ?? DEFAULT_REGISTRATION;
}

/** Returns the picture of the site's logo; null if there is none. */
export const siteLogo = (ctx: AppContext) => findLogoBytes(ctx.db);
