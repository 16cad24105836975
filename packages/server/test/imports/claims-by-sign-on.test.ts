import { expect, test } from "bun:test";
import { changeStanding, FOR_EVER } from "../../src/accounts/levels-and-suspensions.ts";
import { COMMAND_LINE } from "../../src/audit/audit.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { importPerson, linksOf, makeImport } from "../support/imports/people.ts";
import { OidcBrowser, userOf } from "../support/oidc-browser.ts";
import { type Account, TestProvider } from "../support/oidc-provider.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Accounts of an import that a single sign-on claims (protocol §14.5). */
eachDatabase(async (_, open) => {
  let count = 0;
  const provider = await forAllTests(TestProvider.start());
  // The provider makes no new accounts here: the link decides.
  const settings = provider.settings({ oidcSignup: false, registration: "closed" });
  const server = await forAllTests(startTestServer(settings, { database: await open() }));
  const { ctx } = server;

  async function imported() {
    const importId = await makeImport(ctx);
    const username = `nora${++count}`;
    await importPerson(ctx, importId, { username });
    return { importId, username, token: (await linksOf(ctx, importId)).get(username) ?? "" };
  }

  /** Begins a claim in a new browser, which is at the provider's door then. */
  async function begin(token: string, account: Account) {
    provider.account = account;
    const answer = await server.guest.post("/api/auth/account-claim/sign-on", { token });
    expect(answer.status).toBe(200);
    const browser = new OidcBrowser(server);
    const cookies = answer.headers.getSetCookie().map((set) => set.split(";")[0] ?? "");
    browser.setCookies(server.url, cookies.join("; "));
    return { browser, go: () => browser.go(answer.body.authorization_url) };
  }
  async function claim(token: string, account: Account) {
    const { browser, go } = await begin(token, account);
    const { url } = await go();
    return { at: `${url.pathname}${url.search}`, name: await userOf(server, browser) };
  }

  test("a single sign-on claims an account, and is its login from then on", async () => {
    const { token, username } = await imported();
    const account = { sub: `sub-${username}`, preferred_username: "somebody.else" };
    const shown = (await server.guest.post("/api/auth/account-claim", { token })).body;
    expect(shown.single_sign_on).toBeString();
    expect(await claim(token, account)).toEqual({ at: "/", name: username });
    expectError(await server.guest.post("/api/auth/account-claim", { token }), 410, "claim_link_expired");
    const again = new OidcBrowser(server);
    await again.logIn();
    expect(await userOf(server, again)).toBe(username);
    const own = (await again.client.get(`/api/user/${username}`)).body;
    expect(own).toMatchObject({ claimed: true, points: server.config.initialPoints });
    const { users } = (await again.client.get(`/api/users?prefix=${username}`)).body;
    expect(users).toMatchObject([{ username }]);
  });

  test("an identity of somebody else claims nothing, and the link stays valid", async () => {
    const [first, second] = [await imported(), await imported()];
    const account = { sub: `sub-${first.username}` };
    expect(await claim(first.token, account)).toMatchObject({ name: first.username });
    expect(await claim(second.token, account)).toEqual({ at: "/?error=identity_taken", name: null });
    expect((await server.guest.post("/api/auth/account-claim", { token: second.token })).status).toBe(200);
    expect(await claim(second.token, { sub: `sub-${second.username}` })).toEqual({ at: "/", name: second.username });
  });

  test("what ends a link while the person is at the provider is decided when they come back", async () => {
    const [claimed, suspended] = [await imported(), await imported()];
    const late = await begin(claimed.token, { sub: `late-${claimed.username}` });
    const body = { token: claimed.token, password: PASSWORD };
    expect((await server.guest.post("/api/auth/account-claim/password", body)).status).toBe(200);
    expect((await late.go()).url.search).toBe("?error=claim_link_expired");
    expect(await userOf(server, late.browser)).toBeNull();

    const refused = await begin(suspended.token, { sub: `late-${suspended.username}` });
    await changeStanding(ctx, COMMAND_LINE, suspended.username, { suspendedUntil: FOR_EVER });
    expect((await refused.go()).url.search).toBe("?error=account_suspended");
    expect(await userOf(server, refused.browser)).toBeNull();
  });

  test("a password and a single sign-on at once claim an account once", async () => {
    const { token, username } = await imported();
    const { go, browser } = await begin(token, { sub: `race-${username}` });
    const body = { token, password: PASSWORD };
    const [end, answer] = await Promise.all([go(), server.guest.post("/api/auth/account-claim/password", body)]);
    const winners = [end.url.search === "", answer.status === 200];
    expect(winners.filter((won) => won)).toHaveLength(1);
    expect(await userOf(server, browser)).toBe(winners[0] === true ? username : null);
    const { points } = (await server.guest.get(`/api/user/${username}`)).body;
    expect(points).toBe(server.config.initialPoints);
  });
});
