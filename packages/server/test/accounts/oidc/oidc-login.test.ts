import { beforeEach, expect, test } from "bun:test";
import { changeStanding, FOR_EVER } from "../../../src/accounts/levels-and-suspensions.ts";
import { COMMAND_LINE } from "../../../src/audit/audit.ts";
import { publishControl } from "../../../src/realtime/control/control.ts";
import { eachDatabase } from "../../support/databases.ts";
import { expectError } from "../../support/expect-error.ts";
import { forAllTests } from "../../support/for-all-tests.ts";
import { OidcBrowser, userOf } from "../../support/oidc-browser.ts";
import { type Account, TestProvider } from "../../support/oidc-provider.ts";
import { PASSWORD, startTestServer } from "../../support/servers/test-server.ts";
import { auditLines, setLevel } from "../../support/staff.ts";

/** Logins by an OpenID Connect provider (protocol §13.9). */
eachDatabase(async (_, open) => {
  let count = 0;
  const provider = await forAllTests(TestProvider.start());
  const roles = { oidcRoleClaim: "groups", oidcRoleMap: new Map([["admins", 2] as const, ["mods", 1] as const]) };
  const server = await forAllTests(startTestServer(provider.settings(roles), { database: await open() }));
  beforeEach(() => {
    provider.tamper = () => false;
  });

  /** Logs an account of the provider in, in a new browser. */
  const enter = async (account: Account, query = "") => {
    provider.account = account;
    const browser = new OidcBrowser(server);
    const { url } = await browser.logIn(query);
    return { browser, at: `${url.pathname}${url.search}${url.hash}`, name: await userOf(server, browser) };
  };
  const fresh = (more: object = {}): Account => ({
    sub: `sub-${++count}`,
    preferred_username: `user${count}`,
    ...more,
  });
  const levelOf = async (name: string) => {
    const users = server.ctx.db.selectFrom("users").select("admin_level").where("username", "=", name);
    return (await users.executeTakeFirstOrThrow()).admin_level;
  };

  test("the first login makes an account, and later ones lead to it whatever the person is called now", async () => {
    const account = fresh({ email: "ann@example.org", email_verified: true });
    const first = await enter(account, "?return_to=%2F%23%2Fgeneral");
    expect(first).toMatchObject({ at: "/#/general", name: account.preferred_username });
    const own = (await first.browser.client.get(`/api/user/${first.name}`)).body;
    expect(own).toMatchObject({ email: "ann@example.org", points: server.config.initialPoints });
    const again = await enter({ ...account, preferred_username: "renamed" });
    expect(again.name).toBe(first.name);
    const { identities, has_password } = (await again.browser.client.get("/api/auth/identities")).body;
    expect([identities.length, identities[0].label, has_password]).toEqual([1, "renamed", false]);
  });

  test("an address, also a verified one, leads to no account of somebody else", async () => {
    const victim = await server.user("victim");
    await victim.put("/api/user/victim", { email: "victim@example.org" });
    const { name } = await enter(fresh({ email: "victim@example.org", email_verified: true }));
    expect(name).not.toBe("victim");
  });

  test("names are made valid, and a number is added to those that are taken or reserved, or look so", async () => {
    await server.user("Paula");
    const nameOf = async (preferred_username: string | undefined, more: object = {}) =>
      (await enter({ sub: `named-${++count}`, preferred_username, ...more })).name;
    expect(await nameOf("paula")).toBe("paula-2");
    expect(await nameOf("paula@example.org")).toBe("paula-3");
    expect(await nameOf("PauIa")).toBe("PauIa-4"); // it and -2 and -3 look like names that are taken
    expect(await nameOf("admin")).toBe("admin-2");
    expect(await nameOf("Jürgen Müller")).toBe("Jurgen.Muller");
    expect(await nameOf("../..")).toBe("user");
    expect(await nameOf(undefined, { email: "bert@example.org", email_verified: false })).toBe("bert");
    expect(await nameOf("x".repeat(300))).toBe("x".repeat(26));
  });

  test("ten first logins of one person at once make one account", async () => {
    const account = fresh();
    provider.account = account;
    const browsers = Array.from({ length: 10 }, () => new OidcBrowser(server));
    const callbacks = await Promise.all(browsers.map((browser) => browser.untilCallback()));
    const ends = await Promise.all(browsers.map((browser, at) => browser.go(callbacks[at]?.href ?? "")));
    expect(ends.map(({ url }) => url.pathname + url.search)).toEqual(Array(10).fill("/"));
    const names = new Set(await Promise.all(browsers.map((browser) => userOf(server, browser))));
    expect([...names]).toEqual([String(account.preferred_username)]);
    const rows = server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "like", `${account.preferred_username}%`);
    expect(await rows.execute()).toHaveLength(1);
  });

  test("ten people who want one name at once all get an account", async () => {
    const browsers = Array.from({ length: 5 }, () => new OidcBrowser(server));
    const callbacks: URL[] = [];
    for (const [at, browser] of browsers.entries()) {
      provider.account = { sub: `twin-${at}`, preferred_username: "twin" };
      callbacks.push(await browser.untilCallback());
    }
    await Promise.all(browsers.map((browser, at) => browser.go(callbacks[at]?.href ?? "")));
    const names = await Promise.all(browsers.map((browser) => userOf(server, browser)));
    expect(names.sort()).toEqual(["twin", "twin-2", "twin-3", "twin-4", "twin-5"]);
  });

  test("roles set the level at each login, up and down, but never make or end an owner", async () => {
    const account = fresh({ groups: ["staff", "mods", "admins"] });
    const { name } = await enter(account);
    expect(await levelOf(name ?? "")).toBe(2);
    await enter({ ...account, groups: "mods" });
    expect(await levelOf(name ?? "")).toBe(1);
    await enter({ ...account, groups: ["owners", { admins: 2 }] });
    expect(await levelOf(name ?? "")).toBe(null);
    const level = (await auditLines(server)).filter((line) => line.startsWith("identity provider user_level"));
    expect(level).toHaveLength(3);
    await setLevel(server, name ?? "", 3);
    await enter({ ...account, groups: ["mods"] });
    expect(await levelOf(name ?? "")).toBe(3);
  });

  test("a suspended user gets the page with account_suspended", async () => {
    const account = fresh();
    const { name } = await enter(account);
    await changeStanding(server.ctx, COMMAND_LINE, name ?? "", { suspendedUntil: FOR_EVER });
    expect(await enter(account)).toMatchObject({ at: "/?error=account_suspended", name: null });
  });

  test("a person who refuses at the provider gets the page with oidc_denied", async () => {
    provider.account = null;
    const { url } = await new OidcBrowser(server).logIn();
    expect(url.search).toBe("?error=oidc_denied");
  });

  test("a login leads only to paths of this server", async () => {
    for (const foreign of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "/\t/evil.example",
      "/.//evil.example",
      "javascript:alert(1)",
      "x",
    ]) {
      const { at, name } = await enter(fresh(), `?return_to=${encodeURIComponent(foreign)}`);
      expect([foreign, at]).toEqual([foreign, "/"]);
      expect(name).not.toBe(null);
    }
  });

  test("without a password, a recent login confirms changes, and a later one has to be repeated", async () => {
    const account = fresh();
    const { browser, name } = await enter(account);
    const change = { evm_address: "0x52908400098527886E0F7030069857D2E4169EE7" };
    const old = Date.now() - 11 * 60_000;
    expect((await browser.client.put(`/api/user/${name}`, change)).status).toBe(200);
    await server.ctx.db.updateTable("sessions").set({ authenticated_at: old }).execute();
    const { id } = await server.ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", name ?? "")
      .executeTakeFirstOrThrow();
    publishControl(server.ctx, "user_changed", id);
    expectError(await browser.client.put(`/api/user/${name}`, { evm_address: null }), 403, "reauth_required");
    expectError(await browser.client.delete(`/api/user/${name}`), 403, "reauth_required");
    const again = await browser.logIn("?reauth=true");
    expect(again.url.pathname).toBe("/");
    expect((await browser.client.get("/api/auth/sessions")).body.sessions).toHaveLength(1);
    expect((await browser.client.put(`/api/user/${name}`, { password: PASSWORD })).status).toBe(200);
    expect((await browser.client.get("/api/auth/identities")).body.has_password).toBe(true);
  });

  test("an account without a password is deleted after a recent login, and the next login makes a new one", async () => {
    const account = fresh();
    const { browser, name } = await enter(account);
    expect((await browser.client.delete(`/api/user/${name}`)).status).toBe(200);
    const next = await enter(account);
    expect(next.name).toBe(`${name}-2`);
    const user = await server.user(`plain${count}`);
    expectError(await user.delete(`/api/user/plain${count}`), 403, "reauth_required");
  });
});
