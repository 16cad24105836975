import { sessions } from "./belongings.ts";
import { FACTOR_ROUTES } from "./factors.ts";
import { IMPORT_ROUTES } from "./imports.ts";
import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { endsCaller, json, type Recipe, reads } from "./recipe.ts";
import { isUser } from "./roles.ts";

const NEVER = 999_999_999;

/** A login by the provider that is linked to a user. */
const identity: ObjectKind = {
  targets: [{ of: "own" }, { of: "another's" }, { of: "absent" }],
  notFound: "identity_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { identity_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    const { userId } = of === "own" ? world.user(role) : world.author;
    const row = { user_id: userId, issuer: "https://login.example", subject: world.name("subject"), created_at: 1 };
    const added = world.ctx.db.insertInto("identities").values(row).returning("id");
    return { identity_id: (await added.executeTakeFirstOrThrow()).id };
  },
};

/** The routes of sessions and of logins by a provider. The world has no provider; test/accounts/oidc has one. */
export const recipes: Readonly<Record<string, readonly Recipe[]>> = {
  ...FACTOR_ROUTES,
  ...IMPORT_ROUTES,
  "POST /api/auth/logout": [endsCaller("own sessions")],
  "GET /api/auth/sessions": [reads("own sessions")],
  "DELETE /api/auth/sessions": [reads("own sessions")],
  "DELETE /api/auth/sessions/:session_id": [reads("own sessions", sessions)],
  "GET /api/auth/oidc/start": [reads("log in")],
  "GET /api/auth/oidc/callback": [reads("log in")],
  "POST /api/auth/oidc/backchannel-logout": [reads("announce logout")],
  "GET /api/auth/identities": [reads("own identities")],
  "POST /api/auth/identities": [reads("link identity", on.nothing, json({}))],
  "DELETE /api/auth/identities/:identity_id": [reads("own identities", identity)],
};
