import { PROFILE_BODY_BYTES } from "@parley/protocol/limits";
import { SiteSettingsResponse, UpdateSiteBody, UpdateSiteResponse } from "@parley/protocol/site";
import { type Route, route } from "../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { siteSettings } from "../site/change-site.ts";
import { updateSite } from "./site.service.ts";

const tag = "Administration";
const auth = "session";

/** Routes of the settings of the site (protocol §10). */
export const siteRoutes: readonly Route[] = [
  route({
    name: "getSiteSettings",
    method: "GET",
    path: "/api/admin/site",
    summary: "Read the settings of the site, and which of them the environment sets",
    tag,
    auth,
    documentedActs: "change site",
    answers: { 200: SiteSettingsResponse },
    errors: ["forbidden"],
    async handle({ ctx, caller }) {
      requireLevel(caller, ADMINISTRATOR);
      return { site: await siteSettings(ctx) };
    },
  }),
  route({
    name: "updateSite",
    method: "PUT",
    path: "/api/admin/site",
    summary: "Change the site's name, its logo, or who may register",
    tag,
    auth,
    documentedActs: "change site",
    body: UpdateSiteBody,
    bodyBytes: PROFILE_BODY_BYTES,
    invalid: { logo: "invalid_logo" },
    answers: { 200: UpdateSiteResponse },
    errors: [
      "forbidden",
      "no_fields",
      "invalid_logo",
      "setting_locked",
      "site_changed",
      "logo_too_large",
      "overloaded",
    ],
    async handle({ ctx, caller, body }) {
      requireLevel(caller, ADMINISTRATOR);
      return { message: "The settings of the site are changed.", site: await updateSite(ctx, caller, body) };
    },
  }),
];
