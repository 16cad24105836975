import { describe, expect, test } from "bun:test";
import { updateUser } from "../../src/accounts/accounts.store.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, Client, cookieOf, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer());
const guest = server.guest;

let count = 0;
const freshName = (): string => `user${++count}`;

const register = (body: object, client = guest) => client.post("/api/auth/register", body);
const login = (username: string, password = PASSWORD, client = guest) =>
  client.post("/api/auth/login", { username, password });

describe("POST /api/auth/register", () => {
  test("returns the user's name and initial points, and logs them in", async () => {
    const answer = await register({
      username: "Ann.Lee-1",
      password: PASSWORD,
      email: "ann@example.org",
      unknown_field: 1,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      user: { username: "Ann.Lee-1", points: 100 },
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const [cookie, ...more] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^parley_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    expect(more).toEqual([
      expect.stringMatching(/^parley_device=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=34560000; HttpOnly/),
    ]);
    const self = await new Client(server.url, { cookie: cookieOf(answer) }).get("/api/user/ann.lee-1");
    expect(self.body).toMatchObject({ username: "Ann.Lee-1", email: "ann@example.org" });
  });

  test.each([
    [{ username: "x", password: PASSWORD }, "invalid_username"],
    [{ username: "with space", password: PASSWORD }, "invalid_username"],
    [{ username: "Admin", password: PASSWORD }, "invalid_username"],
    [{ username: 7, password: PASSWORD }, "invalid_username"],
    [{ password: PASSWORD }, "invalid_username"],
    [{ username: "somebody", password: "1234567" }, "weak_password"],
    [{ username: "somebody", password: "x".repeat(129) }, "weak_password"],
    [{ username: "somebody", password: null }, "weak_password"],
    [{ username: "somebody" }, "weak_password"],
    [{ username: "somebody", password: PASSWORD, email: "nowhere" }, "invalid_email"],
    [{ username: "somebody", password: PASSWORD, email: {} }, "invalid_email"],
    [{ username: "somebody", password: PASSWORD, invite_code: "0000000000" }, "invalid_invite_code"],
    [{ username: "somebody", password: PASSWORD, invite_code: 5 }, "invalid_invite_code"],
    [{ username: "somebody", password: PASSWORD, points: 1_000_000 }, "field_not_writable"],
    [{ username: "somebody", password: PASSWORD, admin_level: 3 }, "field_not_writable"],
    [[], "invalid_request"],
  ])("%j → %s", async (body, code) => {
    expectError(await register(body), 400, code);
  });

  test("refuses a body that is not JSON or has another content type", async () => {
    expectError(
      await guest.post("/api/auth/register", undefined, { raw: "{", headers: { "content-type": "application/json" } }),
      400,
      "invalid_json",
    );
    expectError(
      await guest.post("/api/auth/register", undefined, { raw: "{}", headers: { "content-type": "text/plain" } }),
      415,
      "unsupported_media_type",
    );
    const big = { username: "somebody", password: "x".repeat(65 * 1024) };
    expectError(await register(big), 413, "body_too_large");
  });

  test("refuses a name that is taken in any case, also by an agent", async () => {
    await register({ username: "taken", password: PASSWORD });
    expectError(await register({ username: "TAKEN", password: PASSWORD }), 409, "username_taken");
    await server.agent("Some Bot");
    expectError(await register({ username: "some_bot", password: PASSWORD }), 409, "username_taken");
  });

  test("gives the same response for a used and an unused email address", async () => {
    await register({ username: "mail-one", password: PASSWORD, email: "in-use@example.org" });
    const used = await register({ username: "mail-two", password: PASSWORD, email: "In-Use@example.org" });
    const free = await register({ username: "mail-six", password: PASSWORD, email: "free@example.org" });
    const shape = (answer: Answered) => JSON.stringify([answer.status, answer.body]).replace(/mail-(two|six)/g, "NAME");
    expect(used.status).toBe(201);
    expect(shape(used)).toBe(shape(free));
  });

  test("accepts another user's invite code", async () => {
    const inviter = await server.user("inviter");
    const { invite_code } = (await inviter.get("/api/user/inviter")).body;
    expect((await register({ username: "invited", password: PASSWORD, invite_code })).status).toBe(201);
    const row = await server.ctx.db
      .selectFrom("users as invited")
      .innerJoin("users as inviter", "inviter.id", "invited.invited_by")
      .select("inviter.username")
      .where("invited.username", "=", "invited")
      .executeTakeFirst();
    expect(row).toEqual({ username: "inviter" });
  });
});

describe("POST /api/auth/login", () => {
  test("returns the name and level, and sets a new cookie each time", async () => {
    const name = freshName();
    const first = await server.user(name);
    const answer = await login(name.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      user: { username: name, admin_level: null },
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(cookieOf(answer)).not.toBe(first.credential.cookie ?? "");
  });

  test("gives the same response to every wrong guess", async () => {
    const name = freshName();
    await server.user(name);
    const answers = [
      await login(name, "wrong horse"),
      await login("never-registered"),
      await login("not a name"),
      await login(name, "x".repeat(5_000)),
    ];
    for (const answer of answers) expectError(answer, 401, "invalid_credentials");
    expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
    expectError(await guest.post("/api/auth/login", { username: name }), 400, "invalid_request");
    expectError(await guest.post("/api/auth/login", { username: name, password: "" }), 400, "invalid_request");
  });

  test("delays logins of one name after five failures from one network, but not of other names; the delay grows", async () => {
    const clock = stillClock();
    await using slow = await startTestServer({}, { clock });
    await slow.user("ann");
    await slow.user("bob");
    const guess = (password: string) => login("ann", password, slow.guest);
    for (let i = 0; i < 5; i += 1) expectError(await guess("wrong"), 401, "invalid_credentials");
    const refused = await guess(PASSWORD);
    expectError(refused, 429, "rate_limited");
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.body.retry_after).toBe(5);
    expect((await login("bob", PASSWORD, slow.guest)).status).toBe(200);
    clock.advance(5_000);
    expectError(await guess("wrong"), 401, "invalid_credentials");
    expect((await guess(PASSWORD)).headers.get("retry-after")).toBe("10");
    clock.advance(10_000);
    expect((await guess(PASSWORD)).status).toBe(200);
  });

  test("tells a suspended user so if the password is right, and ends their sessions", async () => {
    const name = freshName();
    const client = await server.user(name);
    const { db, clock } = server.ctx;
    const { id } = await db.selectFrom("users").select("id").where("username", "=", name).executeTakeFirstOrThrow();
    await updateUser(db, id, { suspended_until: clock.now() + 60_000 }, clock.now());
    publishControl(server.ctx, "user_suspended", id);
    expectError(await client.get("/api/auth/sessions"), 401, "session_required");
    expectError(await login(name), 403, "account_suspended");
    expectError(await login(name, "wrong horse"), 401, "invalid_credentials");
  });
});

describe("rates", () => {
  test("limits one address to 20 registrations an hour and 20 logins a minute", async () => {
    const clock = stillClock();
    await using limited = await startTestServer({ rateFactor: 1 }, { clock });
    for (const [path, wait] of [
      ["/api/auth/register", 3600],
      ["/api/auth/login", 60],
    ] as const) {
      for (let i = 0; i < 20; i += 1) expect((await limited.guest.post(path, {})).status).toBe(400);
      const refused = await limited.guest.post(path, {});
      expectError(refused, 429, "rate_limited");
      const retryAfter = Number(refused.headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(wait);
      expect(refused.headers.get("ratelimit-policy")).toContain(`q=20;w=${wait}`);
      clock.advance(retryAfter * 1000);
      expect((await limited.guest.post(path, {})).status).toBe(400);
    }
  });
});

test("refuses other methods on the account routes", async () => {
  for (const [method, path, allow] of [
    ["GET", "/api/auth/login", "POST"],
    ["POST", "/api/user/ann", "GET, PUT, DELETE"],
    ["POST", "/api/user/ann/honor", "GET"],
  ] as const) {
    const answer = await guest.send(method, path);
    expectError(answer, 405, "method_not_allowed");
    for (const name of allow.split(", ")) expect(answer.headers.get("allow")).toContain(name);
  }
});
