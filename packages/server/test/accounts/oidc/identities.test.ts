import { expect, test } from "bun:test";
import { eraseAll } from "../../../src/privacy/erasing.ts";
import { publishControl } from "../../../src/realtime/control/control.ts";
import { eachDatabase } from "../../support/databases.ts";
import { dump } from "../../support/dump.ts";
import { expectError } from "../../support/expect-error.ts";
import { forAllTests } from "../../support/for-all-tests.ts";
import { OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { type Account, TestProvider } from "../../support/oidc-provider.ts";
import { LiveSocket } from "../../support/servers/live-socket.ts";
import { type Client, PASSWORD, startTestServer } from "../../support/servers/test-server.ts";

/** Linking and unlinking of logins by the provider (protocol §13.9). */
eachDatabase(async (_, open) => {
  let count = 0;
  const provider = await forAllTests(TestProvider.start());
  const server = await forAllTests(startTestServer(provider.settings(), { database: await open() }));

  /** A browser in which a user with a password is logged in. */
  async function withPassword() {
    const name = `user${++count}`;
    const { credential } = await server.user(name);
    const browser = new OidcBrowser(server);
    browser.setCookies(server.url, credential.cookie ?? "");
    return { name, browser };
  }
  const enter = async (account: Account) => {
    provider.account = account;
    const browser = new OidcBrowser(server);
    const { url } = await browser.logIn();
    return { browser, at: url.pathname + url.search };
  };
  /** Begins to link; returns the address of the callback. */
  async function beginLink(browser: OidcBrowser, body: object = {}): Promise<URL> {
    const answer = await browser.client.post("/api/auth/identities", body);
    expect(answer.status).toBe(200);
    const set = answer.headers.getSetCookie()[0]?.split(";")[0];
    browser.setCookies(server.url, `${browser.cookies(server.url)}; ${set}`);
    return browser.untilCallback(answer.body.authorization_url);
  }
  const link = async (browser: OidcBrowser, account: Account, body: object = {}) => {
    provider.account = account;
    browser.forget(provider.issuer);
    const { url } = await browser.go((await beginLink(browser, body)).href);
    return `${url.pathname}${url.search}${url.hash}`;
  };
  const identitiesOf = async (client: Client) => {
    const { body } = await client.get("/api/auth/identities");
    return body.identities;
  };
  const kinds = async (client: Client) =>
    (await client.get("/api/security-notices")).body.notices.map(({ kind }: { kind: string }) => kind);

  test("a user links a login, logs in with it, and unlinks it, which ends the sessions that it began", async () => {
    const account = { sub: `sub${++count}`, preferred_username: "ann at work" };
    const { name, browser } = await withPassword();
    expect(await link(browser, account, { return_to: "/#/general" })).toBe("/#/general");
    const [identity] = await identitiesOf(browser.client);
    expect(identity).toMatchObject({ label: "ann at work", last_login_at: null, issuer: provider.issuer });
    const other = await enter(account);
    expect(await userOf(server, other.browser)).toBe(name);
    await using socket = await LiveSocket.open(server.url, other.browser.client.credential);

    const gone = await browser.client.delete(`/api/auth/identities/${identity.identity_id}`);
    expect([gone.status, gone.body.identity_id]).toEqual([200, identity.identity_id]);
    expect((await socket.whenClosed()).code).toBe(4401);
    expect(await userOf(server, other.browser)).toBe(null);
    expect(await userOf(server, browser)).toBe(name);
    expect(await kinds(browser.client)).toEqual(expect.arrayContaining(["identity_unlinked", "identity_linked"]));
    // The same login now makes an account of its own.
    expect(await userOf(server, (await enter(account)).browser)).not.toBe(name);
  });

  test("a login that another user has cannot be linked; one's own can be linked again", async () => {
    const account = { sub: `sub${++count}` };
    await enter(account);
    const { browser } = await withPassword();
    expect(await link(browser, account)).toBe("/?error=identity_taken");
    expect(await identitiesOf(browser.client)).toEqual([]);
    const mine = { sub: `sub${++count}` };
    expect(await link(browser, mine)).toBe("/");
    expect(await link(browser, mine)).toBe("/");
    expect(await identitiesOf(browser.client)).toHaveLength(1);
  });

  test("two users who link one login at once: one of them has it", async () => {
    const account = { sub: `sub${++count}` };
    provider.account = account;
    const both = [await withPassword(), await withPassword()];
    const callbacks: URL[] = [];
    for (const { browser } of both) callbacks.push(await beginLink(browser));
    const ends = await Promise.all(both.map(({ browser }, at) => browser.go(callbacks[at]?.href ?? "")));
    expect(ends.map(({ url }) => url.search).sort()).toEqual(["", "?error=identity_taken"]);
  });

  test("the last way to log in stays", async () => {
    const first = { sub: `sub${++count}` };
    const { browser } = await enter(first);
    const [identity] = await identitiesOf(browser.client);
    const path = `/api/auth/identities/${identity.identity_id}`;
    expectError(await browser.client.delete(path), 409, "last_login_method");
    expect(await link(browser, { sub: `sub${++count}` })).toBe("/");
    expect((await browser.client.delete(path)).status).toBe(200);
    expectError(await browser.client.delete(path), 404, "identity_not_found");
  });

  test("the callback of a link in another session links nothing", async () => {
    const attacker = await withPassword();
    provider.account = { sub: `sub${++count}` };
    const callback = await beginLink(attacker.browser);
    const cookie = attacker.browser
      .cookies(server.url)
      .split("; ")
      .find((pair) => pair.startsWith("parley_oidc="));
    const victim = await withPassword();
    victim.browser.setCookies(server.url, `${victim.browser.cookies(server.url)}; ${cookie}`);
    const { url } = await victim.browser.go(callback.href);
    expect(url.search).toBe("?error=session_required");
    expect(await identitiesOf(victim.browser.client)).toEqual([]);
  });

  test("linking needs a recent login, or the password", async () => {
    const { name, browser } = await withPassword();
    const users = server.ctx.db.selectFrom("users").select("id").where("username", "=", name);
    const { id } = await users.executeTakeFirstOrThrow();
    await server.ctx.db.updateTable("sessions").set({ authenticated_at: 1 }).where("user_id", "=", id).execute();
    publishControl(server.ctx, "user_changed", id);
    const attempt = (body: object) => browser.client.post("/api/auth/identities", body);
    expectError(await attempt({}), 403, "reauth_required");
    expectError(await attempt({ current_password: "something else" }), 403, "reauth_required");
    expect((await attempt({ current_password: PASSWORD })).status).toBe(200);
  });

  test("identities are in the copy of a user's data, and an erasure leaves no trace of them", async () => {
    const account = { sub: "a-subject-that-is-secret", preferred_username: "a-label-that-is-secret" };
    const { name, browser } = await withPassword();
    await link(browser, account);
    await enter(account);
    const copy = await browser.client.get(`/api/user/${name}/export`);
    const { identities } = typeof copy.body === "string" ? JSON.parse(copy.body) : copy.body;
    expect(identities).toMatchObject([{ label: "a-label-that-is-secret" }]);
    expect((await browser.client.delete(`/api/user/${name}`, { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    const left = (await dump(server.ctx.db)).filter(({ text }) => /that-is-secret/.test(text));
    expect(left).toEqual([]);
  });
});
