import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPair } from "jose";
import { forAllTests } from "../../support/for-all-tests.ts";
import { announceLogout, OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { LOGOUT_EVENT, TestProvider } from "../../support/oidc-provider.ts";
import { logIn, startTestServer, type TestServer } from "../../support/servers/test-server.ts";

const provider = await forAllTests(TestProvider.start());

async function enter(server: TestServer, sub: string) {
  provider.account = { sub, preferred_username: sub };
  const browser = new OidcBrowser(server);
  await browser.logIn();
  return browser;
}

describe("a logout that the provider announces", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(provider.settings());
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("ends the sessions that began with the account, once, and no others", async () => {
    const [ann, phone, bob] = [await enter(server, "ann"), await enter(server, "ann"), await enter(server, "bob")];
    await ann.client.put("/api/user/ann", { password: "a password of ann" });
    await enter(server, "ann");
    const byPassword = await logIn(server.url, "ann", "a password of ann");
    const token = await provider.sign(provider.logoutClaims({ sub: "ann" }));
    const answer = await announceLogout(server, token);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(answer.body.ended_sessions).toBeGreaterThanOrEqual(2);
    expect([await userOf(server, ann), await userOf(server, phone), await userOf(server, bob)]).toEqual([
      null,
      null,
      "bob",
    ]);
    expect((await byPassword.get("/api/auth/sessions")).status).toBe(200);
    expect((await announceLogout(server, token)).body.code).toBe("invalid_logout_token");
  });

  test("of one session at the provider ends the session that began with it", async () => {
    const [cara, other] = [await enter(server, "cara"), await enter(server, "cara")];
    const rows = await server.ctx.db
      .selectFrom("identity_sessions")
      .selectAll()
      .orderBy("session_id", "desc")
      .execute();
    expect(rows[0]?.provider_session).toBeString();
    const sid = rows[0]?.provider_session ?? "";
    expect(
      (await announceLogout(server, await provider.sign(provider.logoutClaims({ sid })))).body.ended_sessions,
    ).toBe(1);
    expect([await userOf(server, cara), await userOf(server, other)]).toEqual(["cara", null]);
  });

  test("is refused unless it is a fresh logout token of the provider for this server", async () => {
    const dora = await enter(server, "dora");
    const now = Math.floor(Date.now() / 1000);
    const { privateKey } = await generateKeyPair("RS256");
    const sign = (more: object) => provider.sign(provider.logoutClaims({ sub: "dora", ...more }));
    const wrong = {
      "no token": "",
      "not a token": "x.y.z",
      "another key": await provider.sign(provider.logoutClaims({ sub: "dora" }), privateKey),
      issuer: await sign({ iss: "https://evil.example" }),
      audience: await sign({ aud: "somebody" }),
      "an ID token": await sign({ events: undefined, nonce: "abc" }),
      "a nonce": await sign({ nonce: "abc" }),
      "another event": await sign({ events: { "http://example.org/event": {} } }),
      "no object": await sign({ events: { [LOGOUT_EVENT]: true } }),
      nobody: await sign({ sub: undefined }),
      "no jti": await sign({ jti: undefined }),
      old: await sign({ iat: now - 600, exp: undefined }),
      expired: await sign({ exp: now - 120 }),
    };
    for (const [name, token] of Object.entries(wrong)) {
      const { status, body } = await announceLogout(server, token);
      expect([name, status, body.code]).toEqual([name, 400, "invalid_logout_token"]);
    }
    expect(await userOf(server, dora)).toBe("dora");
  });
});
