import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createOwner } from "../../src/channels/newcomers.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { Client, cookieOf, eventually, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const EVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const SOL = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";

const server = await forAllTests(startTestServer());
const guest = server.guest;

let count = 0;
const freshName = (): string => `user${++count}`;

const register = (body: object, client = guest) => client.post("/api/auth/register", body);
const login = (username: string, password = PASSWORD, client = guest) =>
  client.post("/api/auth/login", { username, password });

describe("GET /api/user/:username", () => {
  test("returns everything to the user, and the public part to others", async () => {
    const name = freshName();
    const client = await server.user(name);
    await client.put(`/api/user/${name}`, {
      email: `${name}@example.org`,
      avatar: GIF,
      evm_address: EVM,
      sol_address: SOL,
    });
    const own = await client.get(`/api/user/${name}`);
    expect(own.status).toBe(200);
    expect(own.headers.get("cache-control")).toBe("no-store");
    expect(own.body).toEqual({
      success: true,
      username: name,
      email: `${name}@example.org`,
      email_verified: false,
      avatar: GIF,
      display_name: null,
      status: null,
      points: 100,
      admin_level: null,
      honor_level: 0,
      evm_address: EVM,
      sol_address: SOL,
      evm_address_proven: false,
      sol_address_proven: false,
      is_online: false,
      claimed: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      invite_code: expect.any(String),
    });
    const { invite_code: _, email_verified: __, ...shared } = own.body;
    const agent = await server.agent();
    for (const other of [guest, await server.user(freshName()), agent]) {
      expect((await other.get(`/api/user/${name.toUpperCase()}`)).body).toEqual({
        ...shared,
        email: null,
        evm_address: null,
        sol_address: null,
        evm_address_proven: null,
        sol_address_proven: null,
      });
    }
  });

  test.each([
    "/api/user/nobody",
    "/api/user/nobody/honor",
    "/api/user/nobody/avatar",
    "/api/user/no%20body",
    "/api/user/%F0%9F%98%80",
  ])("answers 404 for %s", async (path) => expectError(await guest.get(path), 404, "user_not_found"));

  test("returns nothing to guests who cannot read", async () => {
    await using closed = await startTestServer({ guestRead: false });
    const client = await closed.user("ann");
    await client.put("/api/user/ann", { avatar: GIF });
    for (const path of ["/api/user/ann", "/api/user/ann/honor", "/api/user/ann/avatar", "/api/user/nobody"]) {
      expectError(await closed.guest.get(path), 401, "session_required");
    }
    for (const path of ["/api/user/ann", "/api/user/ann/honor", "/api/user/ann/avatar"])
      expect((await client.get(path)).status).toBe(200);
    expect((await client.get("/api/user/ann/avatar")).headers.get("cache-control")).toBe("private, no-cache");
  });

  test("returns the initial honor of every account", async () => {
    const name = freshName();
    await server.user(name);
    const { status, body } = await guest.get(`/api/user/${name}/honor`);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      honor_level: 0,
      total_points: 0,
      level_points: 0,
      next_level_points: 100,
      online_hours: 0,
      invite_count: 0,
      message_count: 0,
    });
  });
});

describe("PUT /api/user/:username", () => {
  test("returns the user's full own view", async () => {
    const name = freshName();
    const client = await server.user(name);
    const answer = await client.put(`/api/user/${name}`, {
      email: `${name}@example.org`,
      avatar: `data:image/png;base64,${PNG}`,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      success: true,
      message: expect.any(String),
      user: { username: name, email: `${name}@example.org` },
    });
    const { success: _, ...read } = (await client.get(`/api/user/${name}`)).body;
    expect(answer.body.user).toEqual(read);
    expect((await client.put(`/api/user/${name}`, { avatar: null })).body.user.avatar).toBeNull();
  });

  test.each([
    [{}, 400, "no_fields"],
    [{ nickname: "x" }, 400, "no_fields"],
    [{ current_password: PASSWORD }, 400, "no_fields"],
    [{ points: 5 }, 400, "field_not_writable"],
    [{ email: "x@example.org", admin_level: 3 }, 400, "field_not_writable"],
    [{ honor_level: 10 }, 400, "field_not_writable"],
    [{ id: 1 }, 400, "field_not_writable"],
    [{ username: "other" }, 400, "field_not_writable"],
    [{ email: "x@example.org", invite_code: "AW7JW6A3W4" }, 400, "field_not_writable"],
    [{ email: "nowhere" }, 400, "invalid_email"],
    [{ email: 5 }, 400, "invalid_email"],
    [{ password: "short" }, 400, "weak_password"],
    [{ password: null }, 400, "weak_password"],
    [{ evm_address: "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }, 400, "invalid_evm_address"],
    [{ evm_address: 1 }, 400, "invalid_evm_address"],
    [{ sol_address: "0".repeat(32) }, 400, "invalid_sol_address"],
    [{ sol_address: [] }, 400, "invalid_sol_address"],
    [{ avatar: "AAAA" }, 400, "invalid_avatar"],
    [{ avatar: {} }, 400, "invalid_avatar"],
  ])("%j → %i %s", async (body, status, code) => {
    const name = freshName();
    const client = await server.user(name);
    expectError(await client.put(`/api/user/${name}`, body), status, code);
  });

  test("accepts an address that is in use, and leaves it unverified", async () => {
    await register({ username: "first-user", password: PASSWORD, email: "shared@example.org" });
    const name = freshName();
    const client = await server.user(name);
    const answers = [];
    for (const email of ["Shared@example.org", "free@example.org"]) {
      const { status, body } = await client.put(`/api/user/${name}`, { email });
      expect(body.user).toMatchObject({ email, email_verified: false });
      answers.push([status, body.message, Object.keys(body.user)]);
    }
    expect(answers[0]).toEqual(answers[1] ?? []);
    expectError(await client.put(`/api/user/${name}`, { email_verified: true }), 400, "field_not_writable");
    expect((await guest.get("/api/user/first-user")).body).not.toHaveProperty("email_verified");
  });

  test("accepts pictures of up to 256 KiB in a slightly larger body", async () => {
    const name = freshName();
    const client = await server.user(name);
    const put = (bytes: number) => client.put(`/api/user/${name}`, { avatar: randomBytes(bytes).toString("base64") });
    expectError(await put(256 * 1024 + 1), 413, "avatar_too_large");
    expectError(await put(256 * 1024), 400, "invalid_avatar"); // not too large, and not a picture
    expectError(await put(400 * 1024), 413, "body_too_large");
  });

  test("refuses other callers, and unknown users", async () => {
    const name = freshName();
    await server.user(name);
    const stranger = await server.user(freshName());
    expectError(await stranger.put(`/api/user/${name}`, { email: null }), 403, "forbidden");
    expectError(await stranger.put("/api/user/nobody", { email: null }), 404, "user_not_found");
    const agent = await server.agent();
    expectError(await agent.put(`/api/user/${name}`, { email: null }), 401, "session_required");
  });

  test("ends the other sessions after a new password, and allows new ones", async () => {
    const name = freshName();
    const [first, second] = [await server.user(name), await logIn(server.url, name)];
    expect((await second.put(`/api/user/${name}`, { password: "another good one" })).status).toBe(200);
    expectError(await first.get("/api/auth/sessions"), 401, "session_required");
    expect((await second.get("/api/auth/sessions")).body.sessions).toHaveLength(1);
    expectError(await login(name), 401, "invalid_credentials");
    expect((await login(name, "another good one")).status).toBe(200);
  });

  test("requires the current password for sensitive changes after ten minutes", async () => {
    const clock = stillClock();
    await using later = await startTestServer({}, { clock });
    const client = await later.user("ann");
    clock.advance(10 * 60_000 + 1);
    expectError(await client.put("/api/user/ann", { password: "another good one" }), 403, "reauth_required");
    expectError(
      await client.put("/api/user/ann", { evm_address: EVM, current_password: "wrong" }),
      403,
      "reauth_required",
    );
    // Mail to the address can choose a new password.
    expectError(await client.put("/api/user/ann", { email: "ann@example.org" }), 403, "reauth_required");
    expect((await client.put("/api/user/ann", { evm_address: EVM, current_password: PASSWORD })).status).toBe(200);
    expect((await client.put("/api/user/ann", { sol_address: SOL })).status).toBe(200);
  });

  test("refuses the most common passwords in production", async () => {
    await using strict = await startTestServer({ profile: "production" });
    expectError(await register({ username: "ann", password: "password123" }, strict.guest), 400, "weak_password");
    expectError(await register({ username: "annabella", password: "Annabella1" }, strict.guest), 400, "weak_password");
    const client = await strict.user("ann");
    expectError(await client.put("/api/user/ann", { password: "iloveyou" }), 400, "weak_password");
  });

  test("lets an owner created beside the server change others, under audit", async () => {
    const name = freshName();
    await server.user(name);
    await createOwner(server.ctx, "the-owner", PASSWORD);
    const answer = await login("the-owner");
    expect(answer.body.user).toEqual({ username: "the-owner", admin_level: 3 });
    const owner = new Client(server.url, { cookie: cookieOf(answer) });
    expect((await owner.put(`/api/user/${name}`, { email: `${name}@example.org` })).body.user.email).toBe(
      `${name}@example.org`,
    );
    expect((await owner.get(`/api/user/${name}`)).body.email).toBe(`${name}@example.org`);
    const entry = await server.ctx.db
      .selectFrom("audit_log")
      .selectAll()
      .where("action", "=", "user_update")
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ actor: "the-owner", details: '{"fields":["email"]}' });
  });

  test("follows a promotion by the command line in the running server", async () => {
    const client = await server.user("promoted");
    expect((await client.get("/api/auth/sessions")).status).toBe(200);
    await createOwner(server.ctx, "promoted", "a new password for it");
    await eventually("the old sessions are over", async () => (await client.get("/api/auth/sessions")).status === 401);
  });
});

describe("GET /api/user/:username/avatar", () => {
  test("returns the picture, with an ETag that saves the second transfer", async () => {
    const name = freshName();
    const client = await server.user(name);
    const path = `/api/user/${name}/avatar`;
    expectError(await guest.get(path), 404, "avatar_not_found");
    await client.put(`/api/user/${name}`, { avatar: GIF });
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).toString("base64")).toBe(GIF);
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/gif",
      "cache-control": "public, no-cache",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await fetch(server.url + path, { headers: { "if-none-match": tag } });
      expect(again.status).toBe(304);
      expect(again.headers.get("etag")).toBe(etag);
      expect(await again.text()).toBe("");
    }
    await client.put(`/api/user/${name}`, { avatar: PNG });
    const changed = await fetch(server.url + path, { headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("content-type")).toBe("image/png");
    await client.put(`/api/user/${name}`, { avatar: null });
    expectError(await guest.get(path), 404, "avatar_not_found");
  });
});
