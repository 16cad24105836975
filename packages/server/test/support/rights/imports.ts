import { nothing } from "./objects.ts";
import { json, page, type Recipe, reads } from "./recipe.ts";

/** A link that does not exist, because a real one works once; test/imports/account-claims.test.ts uses real ones. */
const TOKEN = "A".repeat(43);

/** Recipes for the routes of imports, and of the links of their accounts. */
export const IMPORT_ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/auth/account-claim": [reads("use claim link", nothing, json({ token: TOKEN }))],
  "POST /api/auth/account-claim/password": [
    reads("use claim link", nothing, json({ token: TOKEN, password: "a new password" })),
  ],
  "POST /api/auth/account-claim/sign-on": [reads("use claim link", nothing, json({ token: TOKEN }))],
  "GET /claim-account": page,
  "GET /api/admin/imports": [reads("see imports")],
};
