import { expect, test } from "bun:test";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { problemsOf, temporaryFolder } from "../../support/config.ts";
import { expectError } from "../../support/expect-error.ts";
import { forAllTests } from "../../support/for-all-tests.ts";
import { OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { type Account, TestProvider } from "../../support/oidc-provider.ts";
import { logIn, PASSWORD, startTestServer, type TestServer } from "../../support/servers/test-server.ts";
import { setLevel, staff } from "../../support/staff.ts";

const ISSUER = { PARLEY_OIDC_ISSUER: "https://login.example.org" };
const WHOLE = { ...ISSUER, PARLEY_OIDC_CLIENT_ID: "parley", PARLEY_OIDC_CLIENT_SECRET: "secret" };

test.each([
  [ISSUER, ["PARLEY_OIDC_CLIENT_ID must", "PARLEY_OIDC_CLIENT_SECRET must"]],
  [{ PARLEY_OIDC_CLIENT_ID: "parley" }, ["PARLEY_OIDC_ISSUER must"]],
  [{ PARLEY_OIDC_ALLOWED_DOMAINS: "example.org" }, ["PARLEY_OIDC_ISSUER must"]],
  [{ PARLEY_PASSWORD_LOGIN: "off" }, ["PARLEY_PASSWORD_LOGIN=off needs"]],
  [{ PARLEY_PASSWORD_LOGIN: "owners" }, ["PARLEY_PASSWORD_LOGIN=owners needs"]],
  [{ PARLEY_PASSWORD_LOGIN: "no" }, ["PARLEY_PASSWORD_LOGIN must"]],
  [{ ...WHOLE, PARLEY_OIDC_ISSUER: "http://login.example.org" }, ["PARLEY_OIDC_ISSUER must be https"]],
  [{ ...WHOLE, PARLEY_OIDC_ISSUER: "https://a.example/.well-known/openid-configuration" }, ["PARLEY_OIDC_ISSUER must"]],
  [{ ...WHOLE, PARLEY_OIDC_SCOPES: "profile email" }, ["PARLEY_OIDC_SCOPES must"]],
  [{ ...WHOLE, PARLEY_OIDC_ALLOWED_DOMAINS: "@example.org" }, ["PARLEY_OIDC_ALLOWED_DOMAINS has"]],
  [{ ...WHOLE, PARLEY_OIDC_ROLE_CLAIM: "groups" }, ["PARLEY_OIDC_ROLE_CLAIM and"]],
  [{ ...WHOLE, PARLEY_OIDC_ROLE_MAP: "mods=1" }, ["PARLEY_OIDC_ROLE_CLAIM and"]],
  [
    { ...WHOLE, PARLEY_OIDC_ROLE_CLAIM: "groups", PARLEY_OIDC_ROLE_MAP: "bosses=3" },
    ["PARLEY_OIDC_ROLE_MAP has", "PARLEY_OIDC_ROLE_CLAIM and"],
  ],
] as const)("settings %j refuse to start", (env, wanted) => {
  const problems = problemsOf(env);
  expect(problems).toHaveLength(wanted.length);
  for (const [at, beginning] of wanted.entries()) expect(problems[at]).toStartWith(beginning);
});

test("complete settings are read, and the secret is never repeated", () => {
  const roles = { PARLEY_OIDC_ROLE_CLAIM: "groups", PARLEY_OIDC_ROLE_MAP: "site admins=2, mods=1" };
  const config = loadConfig({ ...WHOLE, ...roles, PARLEY_PASSWORD_LOGIN: "owners" });
  expect(config).toMatchObject({ oidcIssuer: "https://login.example.org/", passwordLogin: "owners", oidcSignup: true });
  expect([...config.oidcRoleMap]).toEqual([
    ["site admins", 2],
    ["mods", 1],
  ]);
  expect(problemsOf({ ...WHOLE, PARLEY_OIDC_CLIENT_SECRET: "two words" }).join()).not.toContain("two words");
});

const provider = await forAllTests(TestProvider.start());
const start = (more: Partial<Config>): Promise<TestServer> => startTestServer(provider.settings(more));
async function enter(server: TestServer, account: Account) {
  provider.account = account;
  const browser = new OidcBrowser(server);
  const { url } = await browser.logIn();
  return { browser, at: url.pathname + url.search, name: await userOf(server, browser) };
}

test("only verified addresses of the allowed domains can log in", async () => {
  await using server = await start({ oidcAllowedDomains: ["example.org"] });
  const at = async (more: object) => (await enter(server, { sub: crypto.randomUUID(), ...more })).at;
  expect(await at({ email: "ann@example.org", email_verified: true })).toBe("/");
  expect(await at({ email: "ann@EXAMPLE.org", email_verified: true })).toBe("/");
  // As AWS Cognito sends it.
  expect(await at({ email: "ann@example.org", email_verified: "true" })).toBe("/");
  for (const other of [
    { email: "ann@example.org", email_verified: false },
    { email: "ann@example.org" },
    { email: "ann@example.org", email_verified: "false" },
    { email: "ann@sub.example.org", email_verified: true },
    { email: "ann@example.org@evil.example", email_verified: true },
    { email: "ann@example.org.evil.example", email_verified: true },
    {},
  ])
    expect([other, await at(other)]).toEqual([other, "/?error=domain_not_allowed"]);
});

test("closed registration does not concern the provider's people, unless PARLEY_OIDC_SIGNUP is false", async () => {
  await using closed = await start({ registration: "closed" });
  expect((await enter(closed, { sub: "a", preferred_username: "ann" })).name).toBe("ann");
  await using linked = await start({ oidcSignup: false });
  expect((await enter(linked, { sub: "a", preferred_username: "ann" })).at).toBe("/?error=signup_closed");
});

test("without a role map, what the provider says of roles neither gives nor takes a level", async () => {
  await using server = await start({});
  const account = { sub: "a", preferred_username: "ann", groups: ["owners", "admins"], roles: ["admins"] };
  const levels = async () =>
    (await server.ctx.db.selectFrom("users").select("admin_level").where("username", "=", "ann").execute()).map(
      (user) => user.admin_level,
    );
  await enter(server, account);
  expect(await levels()).toEqual([null]);
  for (const level of [2, 3] as const) {
    await setLevel(server, "ann", level);
    expect((await enter(server, { ...account, groups: [] })).name).toBe("ann");
    expect(await levels()).toEqual([level]);
  }
});

test("passwords can be switched off, or left to owners", async () => {
  await using off = await start({ passwordLogin: "off" });
  const body = { username: "bob", password: PASSWORD };
  expectError(await off.guest.post("/api/auth/register", body), 403, "password_login_off");
  expectError(await off.guest.post("/api/auth/login", body), 403, "password_login_off");
  expect((await off.guest.get("/api/site")).body.site).toMatchObject({ password_login: "off", oidc_name: "Example" });

  const dataDir = temporaryFolder();
  {
    await using before = await start({ dataDir });
    await staff(before, "olga", 3);
    await before.user("bob");
  }
  await using server = await start({ dataDir, passwordLogin: "owners" });
  expectError(await server.guest.post("/api/auth/login", body), 403, "password_login_off");
  const wrong = { ...body, password: "something else" };
  expectError(await server.guest.post("/api/auth/login", wrong), 401, "invalid_credentials");
  const olga = await logIn(server.url, "olga");
  expectError(await olga.post("/api/admin/users/bob/reset-link", {}), 403, "password_login_off");
});

test("where everybody needs a second factor, a login by the provider needs none here; one with the password does", async () => {
  await using server = await start({ requireSecondFactor: "all" });
  const { browser } = await enter(server, { sub: "eva", preferred_username: "eva" });
  expect((await browser.client.get("/api/channels")).status).toBe(200);
  expect((await browser.client.put("/api/user/eva", { password: PASSWORD })).status).toBe(200);
  const byPassword = await logIn(server.url, "eva");
  expectError(await byPassword.get("/api/channels"), 403, "second_factor_setup_required");
  expectError(await byPassword.post("/api/auth/identities", {}), 403, "second_factor_setup_required");
  // Without the identity, nobody vouches for the session any more.
  const { identities } = (await browser.client.get("/api/auth/identities")).body;
  const gone = await browser.client.delete(`/api/auth/identities/${identities[0].identity_id}`);
  expect(gone.status).toBe(200);
  expectError(await browser.client.get("/api/channels"), 403, "second_factor_setup_required");
});
