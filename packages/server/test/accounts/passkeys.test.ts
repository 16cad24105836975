import { beforeEach, describe, expect, test } from "bun:test";
import { setUpApp } from "../support/authenticator-app.ts";
import { stillDate } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import type { Named } from "../support/servers/test-server.ts";
import { Client, cookieOf, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { type Deviation, SoftPasskey } from "../support/soft-passkey.ts";
import { staff } from "../support/staff.ts";

const MINUTE = 60_000;
const ORIGIN = "https://chat.example.org";

/** Passkeys (protocol §13.9), with authenticators in software. */
eachDatabase(async (_, open) => {
  const clock = stillDate();
  let count = 0;
  let ann: Named;
  const overrides = { database: await open(clock), clock };
  const server = await forAllTests(startTestServer({ publicUrl: ORIGIN, rateLimits: "off" }, overrides));
  beforeEach(async () => {
    const username = `user${++count}`;
    ann = Object.assign(await server.user(username), { username });
  });

  async function later<T>(ms: number, act: () => Promise<T>): Promise<T> {
    clock.ahead += ms;
    try {
      return await act();
    } finally {
      clock.ahead -= ms;
    }
  }
  const optionsFor = async (client: Client) => (await client.post("/api/auth/passkeys/options", {})).body.options;
  const add = (client: Client, credential: object, name = "laptop") =>
    client.post("/api/auth/passkeys", { name, credential });
  async function added(client: Client, name = "laptop"): Promise<SoftPasskey & { passkeyId: number }> {
    const passkey = new SoftPasskey(ORIGIN);
    const { status, body } = await add(client, passkey.register(await optionsFor(client)), name);
    if (status !== 201) throw new Error(`add: ${status} ${JSON.stringify(body)}`);
    return Object.assign(passkey, { passkeyId: body.passkey.passkey_id });
  }
  const loginOptions = async () => (await server.guest.post("/api/auth/passkeys/login-options")).body.options;
  const enter = (credential: object) => server.guest.post("/api/auth/passkeys/login", { credential });
  const enterWith = async (passkey: SoftPasskey, deviation?: Deviation) =>
    enter(passkey.sign(await loginOptions(), deviation));

  test("a passkey is added, logs in as both factors, and is listed, renamed and removed", async () => {
    const asked = await ann.post("/api/auth/passkeys/options", {});
    expect(asked.status).toBe(200);
    expect(asked.body.options).toMatchObject({
      rp: { id: "chat.example.org", name: "Parley" },
      user: { name: ann.username },
      attestation: "none",
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: "public-key" })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const passkey = new SoftPasskey(ORIGIN);
    const made = await add(ann, passkey.register(asked.body.options), "phone");
    expect(made.status).toBe(201);
    expect(made.body.passkey).toMatchObject({ name: "phone", is_synced: false, last_used_at: null });

    await setUpApp(ann, clock);
    const begun = await server.guest.post("/api/auth/passkeys/login-options");
    expect(begun.status).toBe(200);
    expect(begun.body.options).toMatchObject({ rpId: "chat.example.org", userVerification: "required" });
    expect(begun.body.options.allowCredentials ?? []).toEqual([]);
    const login = await enter(passkey.sign(begun.body.options));
    expect(login.status).toBe(200);
    expect(login.body.user).toEqual({ username: ann.username, admin_level: null });
    const session = new Client(server.url, { cookie: cookieOf(login) });
    const listed = await session.get("/api/auth/passkeys");
    expect(listed.status).toBe(200);
    expect(listed.body.passkeys).toMatchObject([{ name: "phone", last_used_at: new Date(clock.now()).toISOString() }]);

    const path = `/api/auth/passkeys/${made.body.passkey.passkey_id}`;
    expect((await session.put(path, { name: "old phone" })).body.passkey.name).toBe("old phone");
    expectError(await session.put(path, { name: "  " }), 400, "invalid_request");
    expectError(await session.put(path, { name: "x".repeat(65) }), 400, "invalid_request");
    const bob = await server.user(`${ann.username}b`);
    expectError(await bob.put(path, { name: "mine" }), 404, "passkey_not_found");
    expectError(await bob.delete(path), 404, "passkey_not_found");
    expectError(await later(11 * MINUTE, () => session.delete(path)), 403, "reauth_required");
    expect((await session.delete(path, { body: { current_password: PASSWORD } })).status).toBe(200);
    expectError(await session.delete(path), 404, "passkey_not_found");
    expectError(await enterWith(passkey), 403, "passkey_rejected");
    const { notices } = (await ann.get("/api/security-notices")).body;
    const told = notices.filter(({ kind }: { kind: string }) => kind.startsWith("second_factor"));
    expect(told.map((notice: { details: object }) => notice.details)).toMatchObject([
      { factor: "passkey", name: "old phone" },
      { factor: "totp" },
      { factor: "passkey", name: "phone" },
    ]);
  });

  test("with a passkey beside an authenticator app, a login with the password names all methods", async () => {
    await added(ann);
    await setUpApp(ann, clock);
    const login = await server.guest.post("/api/auth/login", { username: ann.username, password: PASSWORD });
    expect(login.body.details.methods).toEqual(["totp", "recovery_code", "passkey"]);
  });

  describe("a new passkey is refused", () => {
    test.each<[string, Deviation]>([
      ["of another origin", { origin: "https://chat.example.com" }],
      ["of the same host over http", { origin: "http://chat.example.org" }],
      ["of another host", { rpId: "example.org" }],
      ["without a check of the user", { isVerified: false }],
      ["with an attestation of certificates", { format: "fido-u2f" }],
      ["with an unknown attestation", { format: "made-up" }],
    ])("%s", async (_, deviation) => {
      const passkey = new SoftPasskey(ORIGIN);
      const credential = passkey.register(await optionsFor(ann), deviation);
      expectError(await add(ann, credential), 403, "passkey_rejected");
    });

    test("with a challenge that was used, invented, made for another user or for a login, or is older than five minutes", async () => {
      const bob = await server.user(`${ann.username}b`);
      const options = await optionsFor(ann);
      const passkey = new SoftPasskey(ORIGIN);
      const credential = passkey.register(options);
      expectError(await add(bob, credential), 410, "challenge_expired");
      expect((await add(ann, credential)).status).toBe(201);
      expectError(await add(ann, credential), 410, "challenge_expired");
      for (const challenge of ["", "invented", (await loginOptions()).challenge])
        expectError(await add(ann, passkey.register(options, { challenge })), 410, "challenge_expired");
      const next = new SoftPasskey(ORIGIN).register(await optionsFor(ann));
      expectError(await later(5 * MINUTE, () => add(ann, next)), 410, "challenge_expired");
      const first = new SoftPasskey(ORIGIN).register(await optionsFor(ann));
      await optionsFor(ann);
      expectError(await add(ann, first), 410, "challenge_expired");
    });

    test("when it is registered already, and when the user has twenty", async () => {
      const passkey = await added(ann);
      expect((await optionsFor(ann)).excludeCredentials).toMatchObject([{ id: passkey.id }]);
      expectError(await add(ann, passkey.register(await optionsFor(ann))), 409, "passkey_exists");
      const bob = await server.user(`${ann.username}b`);
      expectError(await add(bob, passkey.register(await optionsFor(bob))), 409, "passkey_exists");
      for (let n = 1; n < 19; n++) await added(ann, `key ${n}`);
      const last = new SoftPasskey(ORIGIN).register(await optionsFor(ann));
      expect((await add(ann, last)).status).toBe(201);
      expectError(await ann.post("/api/auth/passkeys/options", {}), 409, "passkey_limit_reached");
    });

    test("without the password, when the login is long ago", async () => {
      expectError(await later(11 * MINUTE, () => ann.post("/api/auth/passkeys/options")), 403, "reauth_required");
    });

    test("in a body that is no credential", async () => {
      for (const credential of [{}, { id: "*", rawId: "*", type: "public-key", response: {} }])
        expectError(await add(ann, credential), 400, "invalid_request");
      const junk = { clientDataJSON: "AA", attestationObject: "AA" };
      const empty = { id: "AA", rawId: "AA", type: "public-key", response: junk };
      expectError(await add(ann, empty), 410, "challenge_expired");
    });
  });

  describe("a login by passkey is refused", () => {
    test.each<[string, Deviation]>([
      ["of another origin", { origin: "https://chat.example.com" }],
      ["of another host", { rpId: "example.org" }],
      ["without a check of the user", { isVerified: false }],
      ["with a wrong signature", { isForged: true }],
      ["for another user", { userHandle: Buffer.from("user 999999").toString("base64url") }],
      ["for nobody", { userHandle: null }],
    ])("%s", async (_, deviation) => {
      const passkey = await added(ann);
      expectError(await enterWith(passkey, deviation), 403, "passkey_rejected");
      expect((await enterWith(passkey)).status).toBe(200);
    });

    test("with a passkey that nobody has registered", async () => {
      const stranger = new SoftPasskey(ORIGIN);
      stranger.register(await optionsFor(ann));
      expectError(await enterWith(stranger), 403, "passkey_rejected");
    });

    test("with a challenge that was used, by a refusal too, or was made for adding a passkey, or is older than five minutes", async () => {
      const passkey = await added(ann);
      const options = await loginOptions();
      expectError(await enter(passkey.sign(options, { isForged: true })), 403, "passkey_rejected");
      expectError(await enter(passkey.sign(options)), 410, "challenge_expired");
      expectError(await enter(passkey.sign(await optionsFor(ann))), 410, "challenge_expired");
      const old = passkey.sign(await loginOptions());
      expectError(await later(5 * MINUTE, () => enter(old)), 410, "challenge_expired");
    });

    test("when its counter does not grow, and of two logins with one count one succeeds", async () => {
      const passkey = await added(ann);
      expect((await enterWith(passkey, { counter: 7 })).status).toBe(200);
      for (const counter of [7, 6, 0]) expectError(await enterWith(passkey, { counter }), 403, "passkey_rejected");
      const twins = await Promise.all([1, 2].map(() => enterWith(passkey, { counter: 8 })));
      expect(twins.map(({ status }) => status).sort()).toEqual([200, 403]);
    });

    test("of a suspended user, with the suspension's error", async () => {
      const passkey = await added(ann);
      const ruth = await staff(server, `ruth${count}`, 2);
      await ruth.put(`/api/admin/users/${ann.username}`, { suspended_until: "2100-01-01T00:00:00.000Z" });
      expectError(await enterWith(passkey), 403, "account_suspended");
    });

    test("after an administrator removed it", async () => {
      const passkey = await added(ann);
      const ruth = await staff(server, `ruth${count}`, 2);
      const removed = await ruth.delete(`/api/admin/users/${ann.username}/second-factor`);
      expect(removed.body.removed).toEqual({ totp: false, passkeys: 1 });
      expectError(await enterWith(passkey), 403, "passkey_rejected");
    });
  });

  test("the last passkey of an account without a password stays", async () => {
    const passkey = await added(ann);
    const other = await added(ann, "phone");
    const users = server.ctx.db.updateTable("users").set({ password_hash: null });
    await users.where("username", "=", ann.username).execute();
    expect((await ann.delete(`/api/auth/passkeys/${passkey.passkeyId}`)).status).toBe(200);
    expectError(await ann.delete(`/api/auth/passkeys/${other.passkeyId}`), 409, "last_login_method");
    expect((await enterWith(other)).status).toBe(200);
  });

  test("of concurrent additions none exceeds the limit", async () => {
    for (let n = 0; n < 19; n++) await added(ann, `key ${n}`);
    const first = new SoftPasskey(ORIGIN).register(await optionsFor(ann));
    // Each user has one challenge, so the second is stored by hand.
    const { user_id } = await server.ctx.db
      .selectFrom("passkey_challenges")
      .select("user_id")
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    const row = { challenge: "another", user_id, expires_at: clock.now() + MINUTE };
    await server.ctx.db.insertInto("passkey_challenges").values(row).execute();
    const second = new SoftPasskey(ORIGIN).register({ challenge: "another", user: { id: "AA" } });
    const answers = await Promise.all([add(ann, first), add(ann, second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});

describe("passkeys are unavailable", () => {
  test.each([null, "http://chat.example.org", "https://192.0.2.1", "https://[2001:db8::1]"])(
    "with the public URL %p, unless the server is called localhost",
    async (publicUrl) => {
      await using server = await startTestServer({ publicUrl });
      const ann = await server.user("ann");
      expectError(await ann.post("/api/auth/passkeys/options"), 409, "passkeys_unavailable");
      expectError(await server.guest.post("/api/auth/passkeys/login-options"), 409, "passkeys_unavailable");
      const state = (await ann.get("/api/auth/second-factor")).body.second_factor;
      expect(state.passkeys_available).toBe(false);
      const local = server.url.replace("127.0.0.1", "localhost");
      const asked = await new Client(local).post("/api/auth/passkeys/login-options");
      expect(asked.status).toBe(publicUrl === null ? 200 : 409);
    },
  );
});
