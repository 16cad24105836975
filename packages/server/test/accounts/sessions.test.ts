import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, cookieOf, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer());
const guest = server.guest;

let count = 0;
const freshName = (): string => `user${++count}`;

const register = (body: object, client = guest) => client.post("/api/auth/register", body);

describe("sessions", () => {
  test("are listed with their origin, and ended one by one", async () => {
    const name = freshName();
    const client = await server.user(name);
    const other = new Client(server.url, {
      cookie: cookieOf(
        await guest.post(
          "/api/auth/login",
          { username: name, password: PASSWORD },
          { headers: { "user-agent": "Other/1" } },
        ),
      ),
    });
    const { status, body } = await other.get("/api/auth/sessions");
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(body.sessions).toHaveLength(2);
    const [own] = body.sessions.filter((session: { current: boolean }) => session.current);
    const [foreign] = body.sessions.filter((session: { current: boolean }) => !session.current);
    expect(own).toMatchObject({ user_agent: "Other/1", current: true });
    expect([own.session_id, own.address]).toEqual([expect.any(Number), expect.any(String)]);
    expect(Date.parse(own.expires_at) - Date.parse(own.created_at)).toBe(30 * 86_400_000);

    const stranger = await server.user(freshName());
    using socket = await TestSocket.open(server.url, client.credential);
    expectError(await stranger.delete(`/api/auth/sessions/${foreign.session_id}`), 404, "session_not_found");
    expect((await socket.command("channel:join", { channel_slug: "general" })).data.success).toBe(true);
    const ended = await other.delete(`/api/auth/sessions/${foreign.session_id}`);
    expect(ended.body).toEqual({ success: true, message: expect.any(String) });
    expect(ended.headers.getSetCookie()).toEqual([]);
    expectError(await client.get("/api/auth/sessions"), 401, "session_required");
    expectError(await other.delete(`/api/auth/sessions/${foreign.session_id}`), 404, "session_not_found");

    const self = await other.delete(`/api/auth/sessions/${own.session_id}`);
    expect(self.headers.getSetCookie()).toEqual(["parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    expectError(await other.get("/api/auth/sessions"), 401, "session_required");
  });

  test("keep the first 256 characters of what the browser calls itself", async () => {
    const name = freshName();
    await server.user(name);
    const headers = { "user-agent": `${"x".repeat(256)}y` };
    const login = await guest.post("/api/auth/login", { username: name, password: PASSWORD }, { headers });
    const { body } = await new Client(server.url, { cookie: cookieOf(login) }).get("/api/auth/sessions");
    const [own] = body.sessions.filter((session: { current: boolean }) => session.current);
    expect(own.user_agent).toBe("x".repeat(256));
    const devices = await server.ctx.db.selectFrom("login_devices").select("user_agent").execute();
    expect(devices.map(({ user_agent }) => user_agent?.length)).toContain(256);
  });

  test("can all be ended at once, except the current one and those of others", async () => {
    const name = freshName();
    const [client, stranger] = [await server.user(name), await server.user(freshName())];
    const login = () => logIn(server.url, name);
    const [second, third] = [await login(), await login()];
    const ended = await second.delete("/api/auth/sessions");
    expect([ended.status, ended.body]).toEqual([200, { success: true, message: expect.any(String) }]);
    expect(ended.headers.getSetCookie()).toEqual([]);
    for (const gone of [client, third]) expectError(await gone.get("/api/auth/sessions"), 401, "session_required");
    const { sessions } = (await second.get("/api/auth/sessions")).body;
    expect(sessions).toMatchObject([{ current: true }]);
    expect((await second.delete("/api/auth/sessions")).status).toBe(200);
    expect((await stranger.get("/api/auth/sessions")).body.sessions).toHaveLength(1);
  });

  test("end with logout, which also removes the cookie", async () => {
    const client = await server.user(freshName());
    const answer = await client.post("/api/auth/logout");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, message: expect.any(String) });
    expect(answer.headers.getSetCookie()).toEqual(["parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    expectError(await client.post("/api/auth/logout"), 401, "session_required");
  });

  test("are stored only as a hash of the token", async () => {
    const client = await server.user(freshName());
    const token = client.credential.cookie?.split("=")[1] ?? "";
    const rows = JSON.stringify(await server.ctx.db.selectFrom("sessions").selectAll().execute());
    expect(token).toHaveLength(43);
    expect(rows).not.toContain(token);
  });

  test("are checked first: without one, 401 precedes 400 and 404", async () => {
    for (const client of [
      guest,
      new Client(server.url, { cookie: `parley_session=${"x".repeat(43)}` }),
      new Client(server.url, { cookie: "parley_session=%" }),
    ]) {
      expectError(await client.post("/api/auth/logout"), 401, "session_required");
      expectError(await client.get("/api/auth/sessions"), 401, "session_required");
      expectError(await client.delete("/api/auth/sessions/abc"), 401, "session_required");
      expectError(
        await client.put("/api/user/nobody", undefined, { raw: "{", headers: { "content-type": "application/json" } }),
        401,
        "session_required",
      );
    }
    const client = await server.user(freshName());
    for (const id of ["abc", "0", "-1", "1.5", "9".repeat(20)])
      expectError(await client.delete(`/api/auth/sessions/${id}`), 400, "invalid_id");
  });
});

describe("cookies and foreign sites", () => {
  test("use a secure cookie bound to the host over https, and no other cookie name", async () => {
    await using secure = await startTestServer({ publicUrl: "https://chat.example.org", secureCookies: true });
    const answer = await register({ username: "ann", password: PASSWORD }, secure.guest);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-parley_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    const pair = cookie.split(";", 1)[0] ?? "";
    expect((await new Client(secure.url, { cookie: pair }).get("/api/auth/sessions")).status).toBe(200);
    const renamed = new Client(secure.url, { cookie: pair.replace("__Host-", "") });
    expectError(await renamed.get("/api/auth/sessions"), 401, "session_required");
  });

  test("refuse unsafe requests that a browser makes for a foreign site, but not its own site's or other programs'", async () => {
    const name = freshName();
    const client = await server.user(name);
    const put = async (headers: Record<string, string>) =>
      client.put(`/api/user/${name}`, { email: null }, { headers });
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ] as Record<string, string>[]) {
      expectError(await put(headers), 403, "cross_site");
      expectError(await client.post("/api/auth/logout", undefined, { headers }), 403, "cross_site");
      expectError(
        await guest.post("/api/auth/login", { username: name, password: PASSWORD }, { headers }),
        403,
        "cross_site",
      );
      expect((await client.get("/api/auth/sessions", { headers })).status).toBe(200);
    }
    for (const headers of [
      {},
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
      { origin: server.url },
    ] as Record<string, string>[]) {
      expect((await put(headers)).status).toBe(200);
    }
  });

  test("treat the same host without TLS as foreign, because an attacker on the network can write that page", async () => {
    await using secure = await startTestServer({ publicUrl: "https://chat.example", secureCookies: true });
    const client = await secure.user("ann");
    const put = (origin: string) => client.put("/api/user/ann", { email: null }, { headers: { origin } });
    for (const origin of ["https://chat.example", secure.url.replace("http:", "https:")]) {
      expect((await put(origin)).status).toBe(200);
    }
    expectError(await put(secure.url), 403, "cross_site");
    expectError(await put("http://chat.example"), 403, "cross_site");
  });

  test("allow an origin on the list", async () => {
    await using open = await startTestServer({ allowedOrigins: ["https://app.example"] });
    const client = await open.user("ann");
    const put = (origin: string) => client.put("/api/user/ann", { email: null }, { headers: { origin } });
    expect((await put("https://app.example")).status).toBe(200);
    expectError(await put("https://app.example.evil"), 403, "cross_site");
  });
});
