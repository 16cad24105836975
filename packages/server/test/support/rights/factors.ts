import { TOTP } from "otpauth";
import { newSecret } from "../../../src/accounts/factors/codes.ts";
import { rankedUser } from "./belongings.ts";
import { nothing, type ObjectKind } from "./objects.ts";
import { PASSWORD_OF_ALL } from "./people.ts";
import { body, endsCaller, json, type Recipe, reads } from "./recipe.ts";
import { isUser } from "./roles.ts";
import type { RightsWorld } from "./world.ts";

/** The caller's authenticator app, set up or waiting for its first code. */
const app = (isConfirmed: boolean): ObjectKind => ({
  ...nothing,
  targets: [{ of: "own" }],
  async get(world, _, role) {
    if (!isUser(role)) return { code: "123456" };
    const { db, clock } = world.ctx;
    const secret = newSecret(clock);
    const now = clock.now();
    const row = { user_id: world.user(role).userId, secret, last_step: -1, created_at: now };
    await db
      .insertInto("totp_secrets")
      .values({ ...row, confirmed_at: isConfirmed ? now : null })
      .execute();
    return { code: new TOTP({ secret }).generate({ timestamp: now }) };
  },
});

async function passkeyOf(world: RightsWorld, userId: number): Promise<number> {
  const row = {
    user_id: userId,
    credential_id: world.name("credential"),
    public_key: "AA",
    counter: 0,
    transports: "[]",
    name: "laptop",
    is_synced: 0 as const,
    created_at: world.ctx.clock.now(),
    last_used_at: null,
  };
  return (await world.ctx.db.insertInto("passkeys").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

const passkey: ObjectKind = {
  targets: [{ of: "own" }, { of: "another's" }, { of: "absent" }],
  notFound: "passkey_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { passkey_id: 999_999_999 };
    if (of === "own" && !isUser(role)) return null;
    const { userId } = of === "own" ? world.user(role) : world.author;
    return { passkey_id: await passkeyOf(world, userId) };
  },
};

/** A user with a passkey. */
const userWithPasskey: ObjectKind = {
  ...rankedUser,
  async get(world, target, role) {
    const found = await rankedUser.get(world, target, role);
    if (found === null || target.of === "absent") return found;
    const users = world.ctx.db.selectFrom("users").select("id").where("username", "=", String(found.username));
    await passkeyOf(world, (await users.executeTakeFirstOrThrow()).id);
    return found;
  },
};

const OWN: ObjectKind = { ...nothing, targets: [{ of: "own" }] };
const CONFIRMED = json({ current_password: PASSWORD_OF_ALL });
const mine = (kind: ObjectKind = OWN, sent?: Parameters<typeof reads>[2]): Recipe[] => [
  reads("own second factors", kind, sent),
];
/** The app stays with the account, so a disposable user sets it up. */
const once = (kind: ObjectKind, sent: Parameters<typeof reads>[2]): Recipe[] => [
  endsCaller("own second factors", kind, sent),
];
const CREDENTIAL = { id: "AA", rawId: "AA", type: "public-key" };
const MADE = {
  name: "phone",
  credential: { ...CREDENTIAL, response: { clientDataJSON: "AA", attestationObject: "AA" } },
};
const SIGNED = {
  credential: { ...CREDENTIAL, response: { clientDataJSON: "AA", authenticatorData: "AA", signature: "AA" } },
};

/** Recipes for the routes of second factors and passkeys. */
export const FACTOR_ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/auth/second-factor": [reads("answer challenge", nothing, json({ challenge_id: "x", code: "123456" }))],
  "GET /api/auth/second-factor": mine(),
  "POST /api/auth/totp": mine(OWN, CONFIRMED),
  "POST /api/auth/totp/confirm": once(app(false), body(["code"])),
  "DELETE /api/auth/totp": once(app(true), CONFIRMED),
  "POST /api/auth/recovery-codes": once(app(true), CONFIRMED),
  "GET /api/auth/passkeys": mine(),
  "POST /api/auth/passkeys/options": [reads("add passkey", nothing, CONFIRMED)],
  "POST /api/auth/passkeys": [reads("add passkey", nothing, json(MADE))],
  "PUT /api/auth/passkeys/:passkey_id": mine(passkey, json({ name: "phone" })),
  "DELETE /api/auth/passkeys/:passkey_id": mine(passkey, CONFIRMED),
  "POST /api/auth/passkeys/login-options": [reads("log in by passkey")],
  "POST /api/auth/passkeys/login": [reads("log in by passkey", nothing, json(SIGNED))],
  "DELETE /api/admin/users/:username/second-factor": [reads("remove second factors", userWithPasskey, CONFIRMED)],
};
