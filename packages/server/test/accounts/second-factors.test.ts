import { beforeEach, describe, expect, test } from "bun:test";
import { type AppUser, challengeOf, codeAt, setUpApp } from "../support/authenticator-app.ts";
import { stillDate } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import type { Named } from "../support/servers/test-server.ts";
import { Client, cookieOf, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, setLevel, staff } from "../support/staff.ts";

const MINUTE = 60_000;
/** A code that is never right: authenticator apps show six digits, and recovery codes have 16 characters. */
const WRONG = "aaaa-aaaa";

/** Second factors of logins (protocol §13.9). */
eachDatabase(async (_, open) => {
  const clock = stillDate();
  let count = 0;
  let ann: Named;
  const server = await forAllTests(startTestServer({}, { database: await open(clock), clock }));
  beforeEach(async () => {
    const username = `user${++count}`;
    ann = Object.assign(await server.user(username), { username });
  });

  /** Runs an act at a later time of day. */
  async function later<T>(ms: number, act: () => Promise<T>): Promise<T> {
    clock.ahead += ms;
    try {
      return await act();
    } finally {
      clock.ahead -= ms;
    }
  }
  const answer = (challenge_id: string, code: string, client = server.guest) =>
    client.post("/api/auth/second-factor", { challenge_id, code });
  const stateOf = async (client: Client) => (await client.get("/api/auth/second-factor")).body.second_factor;
  const kindsOf = async (client: Client) =>
    (await client.get("/api/security-notices")).body.notices.map((notice: { kind: string }) => notice.kind);

  describe("an authenticator app", () => {
    test("is set up with a secret, a QR code and a first code, which gives ten recovery codes", async () => {
      const other = await reLogin();
      const begun = await ann.post("/api/auth/totp", {});
      expect(begun.status).toBe(200);
      expect(begun.headers.get("cache-control")).toBe("no-store");
      const { secret, otpauth_url, qr_svg } = begun.body;
      const url = new URL(otpauth_url);
      expect([url.protocol, url.host, url.searchParams.get("secret")]).toEqual(["otpauth:", "totp", secret]);
      expect(decodeURIComponent(url.pathname)).toBe(`/Parley:${ann.username}`);
      expect(qr_svg).toStartWith("<svg");
      // It does not count yet.
      expect((await server.guest.post("/api/auth/login", { username: ann.username, password: PASSWORD })).status).toBe(
        200,
      );
      expectError(await ann.post("/api/auth/totp/confirm", { code: WRONG }), 403, "wrong_code");
      const confirmed = await ann.post("/api/auth/totp/confirm", { code: codeAt(secret, clock.now()) });
      expect(confirmed.status).toBe(200);
      expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
      expect(confirmed.headers.get("cache-control")).toBe("no-store");

      const state = await ann.get("/api/auth/second-factor");
      expect(state.body.second_factor).toMatchObject({
        required: false,
        setup_required: false,
        recovery_codes_left: 10,
      });
      expect(Date.parse(state.body.second_factor.totp_since)).toBeGreaterThan(clock.now() - MINUTE);
      // The other sessions began with the password alone.
      expectError(await other.get("/api/auth/sessions"), 401, "session_required");
      expect(await kindsOf(ann)).toContain("second_factor_added");
      expectError(await ann.post("/api/auth/totp", {}), 409, "totp_enabled");
      expectError(await ann.post("/api/auth/totp/confirm", { code: "123456" }), 409, "totp_enabled");
    });

    test("that was not confirmed in 15 minutes has to be begun again, and a new secret replaces the earlier", async () => {
      expectError(await ann.post("/api/auth/totp/confirm", { code: "123456" }), 410, "totp_setup_expired");
      const first = (await ann.post("/api/auth/totp", {})).body.secret;
      const second = (await ann.post("/api/auth/totp", {})).body.secret;
      expectError(await ann.post("/api/auth/totp/confirm", { code: codeAt(first, clock.now()) }), 403, "wrong_code");
      const late = () => ann.post("/api/auth/totp/confirm", { code: codeAt(second, clock.now()) });
      expectError(await later(15 * MINUTE, late), 410, "totp_setup_expired");
    });

    test("is removed and its recovery codes are renewed with the password, when the login is long ago", async () => {
      const app = await setUpApp(ann, clock);
      await later(11 * MINUTE, async () => {
        for (const act of [
          () => ann.delete("/api/auth/totp"),
          () => ann.post("/api/auth/recovery-codes", {}),
          () => ann.post("/api/auth/recovery-codes", { current_password: "not the password" }),
        ])
          expectError(await act(), 403, "reauth_required");
      });
      const renewed = await later(11 * MINUTE, () =>
        ann.post("/api/auth/recovery-codes", { current_password: PASSWORD }),
      );
      expect(renewed.status).toBe(200);
      const [old = ""] = app.recoveryCodes;
      const challenge = await challengeOf(server.guest, ann.username);
      expectError(await answer(challenge, old), 403, "wrong_code");
      expect((await answer(challenge, renewed.body.recovery_codes[0])).status).toBe(200);

      const removed = await ann.delete("/api/auth/totp", { body: { current_password: PASSWORD } });
      expect(removed.status).toBe(200);
      expect(await stateOf(ann)).toMatchObject({ totp_since: null, recovery_codes_left: 0 });
      expectError(await ann.delete("/api/auth/totp"), 409, "totp_not_enabled");
      expectError(await ann.post("/api/auth/recovery-codes"), 409, "totp_not_enabled");
      await reLogin();
      expect(await kindsOf(ann)).toEqual(expect.arrayContaining(["second_factor_removed", "recovery_codes_made"]));
    });
  });

  /** Logs ann in again with the password alone. */
  async function reLogin(): Promise<Client> {
    const login = await server.guest.post("/api/auth/login", { username: ann.username, password: PASSWORD });
    expect(login.status).toBe(200);
    return new Client(server.url, { cookie: cookieOf(login) });
  }

  describe("a login", () => {
    let app: AppUser;
    beforeEach(async () => {
      app = await setUpApp(ann, clock);
    });

    test("needs a code after the right password, and only then says so", async () => {
      const guess = { username: ann.username, password: "not the password" };
      expectError(await server.guest.post("/api/auth/login", guess), 401, "invalid_credentials");
      const login = await server.guest.post("/api/auth/login", { username: ann.username, password: PASSWORD });
      expectError(login, 401, "second_factor_required");
      expect(login.headers.getSetCookie()).toEqual([]);
      const { challenge_id, methods, expires_at } = login.body.details;
      expect(methods).toEqual(["totp", "recovery_code"]);
      expect(Math.abs(Date.parse(expires_at) - clock.now() - 5 * MINUTE)).toBeLessThan(MINUTE);
      const done = await answer(challenge_id, app.code());
      expect(done.status).toBe(200);
      expect(done.body.user).toEqual({ username: ann.username, admin_level: null });
      const session = new Client(server.url, { cookie: cookieOf(done) });
      expect((await session.get("/api/auth/sessions")).status).toBe(200);
      expectError(await answer(challenge_id, app.code(1)), 410, "challenge_expired");
    });

    test("is not possible by repeating the registration with its idempotency key", async () => {
      const headers = { "idempotency-key": `register-${ann.username}` };
      const body = { username: `${ann.username}x`, password: PASSWORD };
      const made = await server.guest.post("/api/auth/register", body, { headers });
      await setUpApp(new Client(server.url, { cookie: cookieOf(made) }), clock);
      expectError(await server.guest.post("/api/auth/register", body, { headers }), 401, "second_factor_required");
    });

    test("accepts the code of the step before and after, and none of two steps away", async () => {
      for (const steps of [-3, -2, 2, 3])
        expectError(await answer(await challengeOf(server.guest, ann.username), app.code(steps)), 403, "wrong_code");
      expect((await answer(await challengeOf(server.guest, ann.username), app.code(1))).status).toBe(200);
    });

    test("uses a step once, and none before it", async () => {
      const [one, two, three] = await Promise.all([1, 2, 3].map(() => challengeOf(server.guest, ann.username)));
      const code = app.code();
      expect((await answer(one ?? "", code)).status).toBe(200);
      expectError(await answer(two ?? "", code), 403, "wrong_code");
      expectError(await answer(two ?? "", app.code(-1)), 403, "wrong_code");
      expect((await answer(three ?? "", app.code(1))).status).toBe(200);
    });

    test("with a recovery code uses it up, in any spelling, and the owner hears of it", async () => {
      const [code = "", other = ""] = app.recoveryCodes;
      const challenge = await challengeOf(server.guest, ann.username);
      expect((await answer(challenge, ` ${code.toUpperCase().replaceAll("-", " ")} `)).status).toBe(200);
      expectError(await answer(await challengeOf(server.guest, ann.username), code), 403, "wrong_code");
      expect(await stateOf(ann)).toMatchObject({ recovery_codes_left: 9 });
      const { notices } = (await ann.get("/api/security-notices")).body;
      const used = notices.find((notice: { kind: string }) => notice.kind === "recovery_code_used");
      expect(used.details).toEqual({ left: 9 });
      expect((await answer(await challengeOf(server.guest, ann.username), other)).status).toBe(200);
    });

    test("ends after five wrong codes, of which the owner hears, and after five minutes", async () => {
      const challenge = await challengeOf(server.guest, ann.username);
      for (const left of [4, 3, 2, 1, 0]) {
        const wrong = await answer(challenge, WRONG);
        expectError(wrong, 403, "wrong_code");
        expect(wrong.body.details).toEqual({ tries_left: left });
      }
      expectError(await answer(challenge, app.code()), 410, "challenge_expired");
      expect(await kindsOf(ann)).toContain("second_factor_failed");
      const slow = await challengeOf(server.guest, ann.username);
      expectError(await later(5 * MINUTE, () => answer(slow, app.code())), 410, "challenge_expired");
    });

    test("with an invented challenge or a wrong code is refused, and a missing field is named", async () => {
      for (const id of ["x", "A".repeat(43), "A".repeat(1_000)])
        expectError(await answer(id, app.code()), 410, "challenge_expired");
      const challenge_id = await challengeOf(server.guest, ann.username);
      for (const body of [{ challenge_id }, { code: app.code() }])
        expectError(await server.guest.post("/api/auth/second-factor", body), 400, "invalid_request");
      expectError(await answer(challenge_id, "9".repeat(65)), 403, "wrong_code");
    });

    test("ends with a new password, by reset link too, and a reset link does not replace the second factor", async () => {
      const challenge = await challengeOf(server.guest, ann.username);
      const ruth = await staff(server, `ruth${count}`, 2);
      const { url } = (await ruth.post(`/api/admin/users/${ann.username}/reset-link`, {})).body;
      const password = "a staple and a battery";
      const token = url.split("#")[1];
      expect((await server.guest.post("/api/auth/reset", { token, password })).status).toBe(200);
      expectError(await answer(challenge, app.code()), 410, "challenge_expired");
      const next = await challengeOf(server.guest, ann.username, password);
      expect((await answer(next, app.code())).status).toBe(200);
    });

    test("of a suspended user ends with the suspension's error", async () => {
      const challenge = await challengeOf(server.guest, ann.username);
      const ruth = await staff(server, `ruth${count}`, 2);
      const until = "2100-01-01T00:00:00.000Z";
      await ruth.put(`/api/admin/users/${ann.username}`, { suspended_until: until });
      expectError(await answer(challenge, app.code()), 403, "account_suspended");
    });

    test("on a socket works alike", async () => {
      await using socket = await LiveSocket.open(server.url);
      const asked = await socket.ask("auth:login", { username: ann.username, password: PASSWORD });
      expect(asked).toMatchObject({ event: "error", data: { code: "second_factor_required" } });
      const { challenge_id } = (asked.data as { details: { challenge_id: string } }).details;
      const wrong = await socket.ask("auth:second-factor", { challenge_id, code: WRONG });
      expect(wrong).toMatchObject({ event: "error", data: { code: "wrong_code", details: { tries_left: 4 } } });
      const done = await socket.ask("auth:second-factor", { challenge_id, code: app.code() });
      expect(done).toMatchObject({ event: "ack", data: { user: { username: ann.username } } });
      expect((await socket.ask("channel:join", { channel_slug: "general" })).event).toBe("ack");
    });

    test("stores no challenge and no recovery code in clear, and at most ten challenges", async () => {
      const challenge = await challengeOf(server.guest, ann.username);
      const [code = ""] = app.recoveryCodes;
      const texts = (await dump(server.ctx.db)).map(({ text }) => text);
      for (const secret of [challenge, code, code.replaceAll("-", "")])
        expect(texts.some((text) => text.includes(secret))).toBe(false);
      for (let n = 0; n < 10; n++) await challengeOf(server.guest, ann.username);
      expectError(await answer(challenge, app.code()), 410, "challenge_expired");
    });
  });

  describe("wrong codes", () => {
    test("are limited for the account over all challenges, but not in a known browser", async () => {
      const app = await setUpApp(ann, clock);
      const device = (await server.guest.post("/api/auth/login", { username: ann.username, password: PASSWORD }))
        .status;
      expect(device).toBe(401);
      const done = await answer(await challengeOf(server.guest, ann.username), app.code());
      const cookie = done.headers.getSetCookie().find((line) => line.includes("parley_device=")) ?? "";
      const known = new Client(server.url, { cookie: cookie.split(";", 1)[0] ?? "" });
      const codes = [];
      for (let round = 0; round < 5; round++) {
        const challenge = await challengeOf(server.guest, ann.username);
        for (let n = 0; n < 5; n++) codes.push((await answer(challenge, WRONG)).body.code);
      }
      expect(codes.filter((code) => code === "wrong_code")).toHaveLength(20);
      expect(codes.filter((code) => code === "rate_limited")).toHaveLength(5);
      expect((await answer(await challengeOf(known, ann.username), app.code(1), known)).status).toBe(200);
    });
  });

  describe("an administrator", () => {
    test("removes the factors of a user of a lower level, which is audited and noticed", async () => {
      const ruth = await staff(server, `ruth${count}`, 2);
      await setUpApp(ann, clock);
      const path = `/api/admin/users/${ann.username}/second-factor`;
      expectError(await ann.delete(path), 403, "forbidden");
      expectError(await later(11 * MINUTE, () => ruth.delete(path)), 403, "reauth_required");
      const removed = await ruth.delete(path, { body: { current_password: PASSWORD } });
      expect([removed.status, removed.body.removed]).toEqual([200, { totp: true, passkeys: 0 }]);
      await reLogin();
      expect((await auditLines(server)).at(-1)).toMatch(
        new RegExp(`^${ruth.username} user_factors_removed user:\\d+$`),
      );
      const { notices } = (await ann.get("/api/security-notices")).body;
      const notice = notices.find((each: { kind: string }) => each.kind === "second_factor_removed");
      expect(notice).toMatchObject({
        actor: "administrator",
        actor_username: ruth.username,
        details: { factor: "all" },
      });
      // There is nothing left.
      expect((await ruth.delete(path)).body.removed).toEqual({ totp: false, passkeys: 0 });
      await setLevel(server, ann.username, 2);
      expectError(await ruth.delete(path), 403, "forbidden");
      expectError(await ruth.delete(`/api/admin/users/${ruth.username}/second-factor`), 403, "forbidden");
      expectError(await ruth.delete("/api/admin/users/nobody-at-all/second-factor"), 404, "user_not_found");
    });
  });
});
