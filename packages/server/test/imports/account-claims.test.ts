import { describe, expect, test } from "bun:test";
import { changeStanding, FOR_EVER } from "../../src/accounts/levels-and-suspensions.ts";
import { makeOperatorsLink } from "../../src/accounts/reset-links/reset-links.ts";
import { COMMAND_LINE } from "../../src/audit/audit.ts";
import { createOwner } from "../../src/channels/newcomers.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { datedClock, untimed } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Imported, importPerson, linksOf, makeImport } from "../support/imports/people.ts";
import { Client, eventually, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

const DAY = 86_400_000;

/** Accounts that an import made for people (protocol §14.5). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  let count = 0;
  const server = await forAllTests(startTestServer({ registration: "closed" }, { database: await open(clock), clock }));
  const { ctx, guest } = server;
  await createOwner(ctx, "olga", PASSWORD);
  const olga = await logIn(server.url, "olga");
  const ruth = await imported({ username: "ruth-to-be" }).then(async ({ token }) => {
    await claim(token);
    await changeStanding(ctx, COMMAND_LINE, "ruth-to-be", { adminLevel: 2 });
    return logIn(server.url, "ruth-to-be");
  });

  /** Makes a person of an import of their own, with a link. */
  async function imported(person: Partial<Imported> = {}) {
    const importId = await makeImport(ctx);
    const username = person.username ?? `nora${++count}`;
    const userId = await importPerson(ctx, importId, { ...person, username });
    return { importId, userId, username, token: (await linksOf(ctx, importId)).get(username) ?? "" };
  }
  const look = (token: string) => guest.post("/api/auth/account-claim", { token });
  function claim(token: string, password = PASSWORD) {
    return guest.post("/api/auth/account-claim/password", { token, password });
  }
  async function expectEnded(token: string) {
    expectError(await look(token), 410, "claim_link_expired");
    expectError(await claim(token), 410, "claim_link_expired");
    expectError(await guest.post("/api/auth/account-claim/sign-on", { token }), 410, "claim_link_expired");
  }
  const profileOf = async (username: string) => (await olga.get(`/api/user/${username}`)).body;
  /** Returns those of the channels whose messages may still make notifications. */
  const unhandled = (channelIds: number[]) =>
    ctx.db
      .selectFrom("channels")
      .leftJoin("channel_cursors as read", (join) =>
        join.onRef("read.channel_id", "=", "channels.id").on("read.purpose", "=", "notifications"),
      )
      .select("channels.id")
      .where("channels.id", "in", channelIds)
      .where((eb) => eb.or([eb("read.seq", "is", null), eb("read.seq", "<", eb.ref("channels.last_seq"))]))
      .execute();
  const room = async (by: Client, name: string): Promise<number> =>
    (await by.post("/api/channels", { name })).body.channel_id;

  test("a link shows its account, which a password claims where nobody may register", async () => {
    const tea = await room(olga, "Tea room");
    const { token, username, userId } = await imported({ displayName: "Nora Harbour", channels: [tea] });
    expect((await dump(ctx.db)).some(({ text }) => text.includes(token))).toBe(false);
    expect(await profileOf(username)).toMatchObject({ claimed: false, points: 0, display_name: "Nora Harbour" });
    const shown = await look(token);
    expect(shown.headers.get("cache-control")).toBe("no-store");
    expect(shown.body).toMatchObject({
      username,
      display_name: "Nora Harbour",
      channels: [{ name: "Tea room", slug: "tea-room" }],
      channel_count: 1,
      password_login: true,
      single_sign_on: null,
    });
    expect(Math.abs(Date.parse(shown.body.expires_at) - clock.now() - 14 * DAY)).toBeLessThan(60_000);

    const claimed = await claim(token);
    expect(claimed).toMatchObject({ status: 200, body: { user: { username, admin_level: null } } });
    const cookie = claimed.headers.getSetCookie().map((set) => set.split(";")[0]);
    const nora = new Client(server.url, { cookie: cookie.join("; ") });
    expect(await profileOf(username)).toMatchObject({ claimed: true, points: server.config.initialPoints });
    const { channels } = (await nora.get("/api/channels")).body;
    const names = channels.map(({ name, my_role }: Record<string, string>) => `${name} ${my_role}`).sort();
    expect(names).toEqual(["Tea room member", "general member"]);
    const { notices } = (await nora.get("/api/security-notices")).body;
    expect(notices).toMatchObject([{ kind: "account_claimed", actor: "self" }]);
    await expectEnded(token);
    await logIn(server.url, username);
    const { points } = await profileOf(username);
    expect(points).toBe(server.config.initialPoints);
    const kept = await ctx.db.selectFrom("claim_links").select("user_id").where("user_id", "=", userId).execute();
    expect(kept).toEqual([]);
  });

  test("a password that is refused leaves the link valid, and of claims at once one succeeds", async () => {
    const { token, username } = await imported();
    expectError(await claim(token, "short"), 400, "weak_password");
    const answers = await Promise.all([1, 2, 3].map((n) => claim(token, `${PASSWORD} ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    await logIn(server.url, username, `${PASSWORD} ${answers.findIndex(({ status }) => status === 200) + 1}`);
    expect((await profileOf(username)).points).toBe(server.config.initialPoints);
  });

  test("tokens that are unknown, malformed or of another kind get the same answer as an expired one", async () => {
    const { token, username } = await imported();
    const reset = (await makeOperatorsLink(ctx, username, server.url)).url.split("#")[1] ?? "";
    for (const wrong of ["", "x", "A".repeat(43), `${token}A`, reset]) await expectEnded(wrong);
    expectError(await guest.post("/api/auth/reset", { token, password: PASSWORD }), 410, "reset_link_expired");
    for (const body of [{}, { token: null }])
      expectError(await guest.post("/api/auth/account-claim", body), 400, "invalid_request");
    clock.ahead += 14 * DAY;
    try {
      await expectEnded(token);
    } finally {
      clock.ahead -= 14 * DAY;
    }
  });

  describe("a link ends when", () => {
    test("a newer one is made", async () => {
      const { token, importId, username } = await imported();
      const newer = (await linksOf(ctx, importId)).get(username) ?? "";
      await expectEnded(token);
      expect((await claim(newer)).status).toBe(200);
      expect([...(await linksOf(ctx, importId)).keys()]).toEqual([]);
    });

    test("a reset link gives the account a password, whose first login claims it", async () => {
      const { token, username } = await imported();
      const { url } = await makeOperatorsLink(ctx, username, server.url);
      const redeem = { token: url.split("#")[1], password: PASSWORD };
      expect((await guest.post("/api/auth/reset", redeem)).status).toBe(200);
      await expectEnded(token);
      expect((await profileOf(username)).claimed).toBe(false);
      await logIn(server.url, username);
      expect(await profileOf(username)).toMatchObject({ claimed: true, points: server.config.initialPoints });
    });

    test("the account is erased, and erasure leaves nothing of it behind", async () => {
      const { token, username, userId } = await imported();
      expect((await ruth.delete(`/api/user/${username}`, { body: { password: PASSWORD } })).status).toBe(200);
      await expectEnded(token);
      await eraseAll(ctx);
      for (const table of ["claim_links", "claimable_accounts"] as const) {
        const kept = await ctx.db.selectFrom(table).select("user_id").where("user_id", "=", userId).execute();
        expect(kept).toEqual([]);
      }
      const { unclaimed } = (await ruth.get("/api/admin/imports?limit=200")).body;
      expect(unclaimed.map((person: { username: string }) => person.username)).not.toContain(username);
    });
  });

  test("a suspended account has no link, and an earlier one waits until the suspension ends", async () => {
    const { token, importId, username } = await imported();
    await changeStanding(ctx, COMMAND_LINE, username, { suspendedUntil: FOR_EVER });
    expectError(await look(token), 403, "account_suspended");
    expectError(await claim(token), 403, "account_suspended");
    expectError(await guest.post("/api/auth/account-claim/sign-on", { token }), 403, "account_suspended");
    expect([...(await linksOf(ctx, importId)).keys()]).toEqual([]);
    await changeStanding(ctx, COMMAND_LINE, username, { suspendedUntil: null });
    expect((await claim(token)).status).toBe(200);
  });

  test("an account that nobody has claimed cannot log in, is found, added and mentioned, and gets no notification", async () => {
    const { token, username, userId } = await imported({ displayName: "Zora Quay" });
    const login = { username, password: PASSWORD };
    expectError(await guest.post("/api/auth/login", login), 401, "invalid_credentials");
    for (const prefix of [username, "Quay"]) {
      const { users } = (await olga.get(`/api/users?prefix=${prefix}`)).body;
      expect(users.map((user: { username: string }) => user.username)).toContain(username);
    }
    const quay = await room(olga, `Quay ${++count}`);
    expect((await olga.put(`/api/channels/${quay}/members/${username}`)).status).toBe(200);
    await olga.post("/api/messages", { channel_id: quay, content: `hello @${username}` });
    const { messages } = (await olga.get(`/api/messages?channel_id=${quay}`)).body;
    expect(messages.at(-1).mentions).toMatchObject([{ type: "user", name: username }]);
    const { channel_id } = (await olga.post("/api/direct", { username })).body;
    await olga.post("/api/messages", { channel_id, content: "are you there?" });
    await changeStanding(ctx, COMMAND_LINE, username, { adminLevel: 1 });
    await eventually("the messages are handled", async () => (await unhandled([quay, channel_id])).length === 0);
    const told = await ctx.db.selectFrom("notifications").selectAll().where("user_id", "=", userId).execute();
    expect(told).toEqual([]);
    expect((await claim(token)).status).toBe(200);
    const nora = await logIn(server.url, username);
    expect((await nora.get(`/api/messages?channel_id=${quay}`)).body.messages).toHaveLength(1);
  });

  test("somebody who is banned from general claims their account, and stays out of it", async () => {
    const { token, username } = await imported();
    const ban = await olga.post("/api/channels/1/bans", { username });
    expect(ban.status).toBe(201);
    expect((await claim(token)).status).toBe(200);
    const nora = await logIn(server.url, username);
    const { channels } = (await nora.get("/api/channels")).body;
    expect(channels.filter(({ my_role }: { my_role: string | null }) => my_role !== null)).toEqual([]);
  });

  test("the links of an import are in the audit log, and only an open one has any", async () => {
    const { importId } = await imported();
    expect((await auditLines(server)).at(-1)).toBe(`command line import_links import:${importId}`);
    const closed = await makeImport(ctx, { status: "closed" });
    await importPerson(ctx, closed, { username: `hidden${++count}` });
    await expect(linksOf(ctx, closed)).rejects.toThrow("not open");
    await expect(linksOf(ctx, 1_000_000)).rejects.toThrow("no import");
    const { unclaimed } = (await ruth.get(`/api/admin/imports?import_id=${closed}`)).body;
    expect(unclaimed).toEqual([]);
  });

  test("more people than a transaction takes all get a link", async () => {
    const importId = await makeImport(ctx);
    const names = Array.from({ length: 503 }, (_, at) => `many${at}`);
    for (const username of names) await importPerson(ctx, importId, { username });
    const links = await linksOf(ctx, importId);
    expect([...links.keys()]).toEqual(names);
    expect(new Set(links.values()).size).toBe(503);
  });

  describe("the list of imports", () => {
    test("has counts, progress, and page by page who has not claimed an account", async () => {
      const counts = { messages: { taken: 7, known: 1, changed: 0, left_out: 2 } };
      const importId = await makeImport(ctx, { counts });
      for (const name of ["one", "two", "three"])
        await importPerson(ctx, importId, { username: `list-${name}`, email: `${name}@example.org` });
      await importPerson(ctx, importId, { username: "list-gone", isSuspended: true });
      const tokens = await linksOf(ctx, importId);
      await claim(tokens.get("list-two") ?? "");
      const page = (query: string) => ruth.get(`/api/admin/imports?import_id=${importId}${query}`);
      const { body } = await page("&limit=2");
      expect(body.imports[0]).toMatchObject({
        import_id: importId,
        format: "slack",
        workspace: "Harbour",
        status: "done",
        progress: 1,
        claimed: 1,
        unclaimed: 3,
        counts: { messages: counts.messages, users: { taken: 0, known: 0, changed: 0, left_out: 0 } },
      });
      expect(body.unclaimed).toMatchObject([
        { username: "list-one", email: "one@example.org", suspended: false, link_expires_at: expect.any(String) },
        { username: "list-three" },
      ]);
      expect(body).toMatchObject({ has_more: true, next_offset: 2 });
      const rest = (await page("&limit=2&offset=2")).body;
      expect(rest.unclaimed).toMatchObject([{ username: "list-gone", suspended: true, link_expires_at: null }]);
      expect(rest).toMatchObject({ has_more: false, next_offset: null });
    });

    test("is for administrators", async () => {
      const { token, username } = await imported();
      await claim(token);
      const nora = await logIn(server.url, username);
      expectError(await nora.get("/api/admin/imports"), 403, "forbidden");
      const mod = await imported();
      await claim(mod.token);
      await changeStanding(ctx, COMMAND_LINE, mod.username, { adminLevel: 1 });
      expectError(await (await logIn(server.url, mod.username)).get("/api/admin/imports"), 403, "forbidden");
      expectError(await guest.get("/api/admin/imports"), 401, "session_required");
    });
  });
});

test("where only owners have passwords, a link is no use without a provider", async () => {
  await using server = await startTestServer();
  const importId = await makeImport(server.ctx);
  await importPerson(server.ctx, importId, { username: "nora" });
  const token = (await linksOf(server.ctx, importId)).get("nora");
  await staff(server, "olga", 3);
  Object.defineProperty(server.ctx, "config", { value: { ...server.ctx.config, passwordLogin: "owners" } });
  expect((await server.guest.post("/api/auth/account-claim", { token })).body.password_login).toBe(false);
  const claimed = await server.guest.post("/api/auth/account-claim/password", { token, password: PASSWORD });
  expectError(claimed, 403, "password_login_off");
  const signOn = await server.guest.post("/api/auth/account-claim/sign-on", { token });
  expectError(signOn, 404, "oidc_disabled");
});

test("guesses at links are limited per network", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 }, { clock: untimed });
  const guess = () => server.guest.post("/api/auth/account-claim", { token: "A".repeat(43) });
  const codes: string[] = [];
  for (let n = 0; n < 21; n += 1) codes.push((await guess()).body.code);
  expect(new Set(codes.slice(0, 20))).toEqual(new Set(["claim_link_expired"]));
  expect(codes[20]).toBe("rate_limited");
});
