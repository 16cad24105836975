import { nothing } from "./objects.ts";
import { json, page, type Recipe, reads } from "./recipe.ts";

/** A link that does not exist, because a real one works once; test/imports/account-claims.test.ts uses real ones. */
const TOKEN = "A".repeat(43);

/** A link that leads nowhere: test/imports/old-links.test.ts imports what links lead to. */
const OLD_LINK = "https://acme.slack.com/archives/C1/p1577836800000100";

/** Recipes for the routes of imports, and of the links of their accounts. */
export const IMPORT_ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/auth/account-claim": [reads("use claim link", nothing, json({ token: TOKEN }))],
  "POST /api/auth/account-claim/password": [
    reads("use claim link", nothing, json({ token: TOKEN, password: "a new password" })),
  ],
  "POST /api/auth/account-claim/sign-on": [reads("use claim link", nothing, json({ token: TOKEN }))],
  "GET /claim-account": page,
  "GET /confirm-address": page,
  "GET /api/admin/imports": [reads("see imports")],
  "GET /api/old-link": [reads("find old links", nothing, () => ({ query: { url: OLD_LINK } }))],
  "GET /old": [reads("follow old links", nothing, () => ({ query: { url: OLD_LINK } }))],
  "GET /archives/:channel": [reads("follow old links", nothing, () => ({ params: { channel: "C1" } }))],
  "GET /archives/:channel/:message": [
    reads("follow old links", nothing, () => ({ params: { channel: "C1", message: "p1577836800000100" } })),
  ],
};
