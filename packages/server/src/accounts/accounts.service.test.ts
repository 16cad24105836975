import { expect, spyOn, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase, type OpenFresh } from "../../test/support/databases.ts";
import type { AppContext } from "../context.ts";
import { login, register } from "./accounts.service.ts";
import { claimName } from "./names/names.ts";
import { PasswordThreads } from "./passwords/password-threads.ts";
import { authenticateSession } from "./sessions/sessions.ts";

const PASSWORD = "correct horse battery";
const origin = { address: "192.0.2.1", userAgent: null };
const signUp = (ctx: AppContext, username: string, more: { email?: string; invite_code?: string } = {}) =>
  register(ctx, { username, password: PASSWORD, ...more, ...origin });
const logIn = (ctx: AppContext, username: string, password = PASSWORD) => login(ctx, { username, password, ...origin });
const codeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(() => "none").catch((error) => error.code ?? error);

async function start(open: OpenFresh) {
  const clock = stillClock();
  const database = await open(clock);
  const ctx = testContext(database, { clock, threads: true });
  return { ctx, clock, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

eachDatabase((_, open) => {
  test("a new user gets a session, a name that nobody else can take, and an inviter", async () => {
    await using server = await start(open);
    const { ctx } = server;
    const ann = await signUp(ctx, "Ann", { email: "Ann@Example.org" });
    expect(ann.user).toEqual({ username: "Ann", admin_level: null });
    expect(authenticateSession(ctx, ann.token)).toEqual(ann.identity);
    const row = await ctx.db.selectFrom("users").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      username: "Ann",
      username_key: "ann",
      email: "Ann@Example.org",
    });
    expect(row.invite_code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);

    await signUp(ctx, "bob", { invite_code: ` ${row.invite_code.toLowerCase()} ` });
    const bob = await ctx.db.selectFrom("users").selectAll().where("username", "=", "bob").executeTakeFirstOrThrow();
    expect(bob.invited_by).toBe(row.id);

    expect(await codeOf(signUp(ctx, "aNN"))).toBe("username_taken");
    expect(await codeOf(signUp(ctx, "ann", { email: "ann@example.org" }))).toBe("username_taken");
    expect(await codeOf(signUp(ctx, "carl", { invite_code: "0000000000" }))).toBe("invalid_invite_code");
    const agent = await ctx.db
      .insertInto("agents")
      .values({ owner_verified: 0, paused: 0, dropped_mentions: 0, created_at: 0 })
      .returning("id")
      .executeTakeFirstOrThrow();
    await claimName(ctx.db, "Help Desk", { kind: "agent", agentId: agent.id });
    expect(await codeOf(signUp(ctx, "help_desk"))).toBe("username_taken");
    expect(await ctx.db.selectFrom("users").select("username").orderBy("id").execute()).toEqual([
      { username: "Ann" },
      { username: "bob" },
    ]);
  });

  test("a name that several people register at once goes to one of them", async () => {
    await using server = await start(open);
    const { ctx } = server;
    const names = await Promise.all(["dora", "DORA", "Dora"].map((name) => codeOf(signUp(ctx, name))));
    expect(names.sort()).toEqual(["none", "username_taken", "username_taken"]);
    expect(await ctx.db.selectFrom("users").select("id").execute()).toHaveLength(1);
    expect(await ctx.db.selectFrom("names").select("name").execute()).toHaveLength(1);
    expect(await ctx.db.selectFrom("sessions").select("id").execute()).toHaveLength(1);
  });

  test("registering with another account's email address is indistinguishable from any other registration", async () => {
    await using server = await start(open);
    const { ctx } = server;
    await signUp(ctx, "ann", { email: "Ann@Example.org" });
    using reading = spyOn(ctx.db, "selectFrom");
    const codes = [];
    const looks: number[] = [];
    for (const [name, email] of [
      ["used1", "ann@example.org"],
      ["free1", "nobody@example.org"],
    ] as const) {
      const before = reading.mock.calls.length;
      codes.push(await codeOf(signUp(ctx, name, { email })));
      looks.push(reading.mock.calls.length - before);
    }
    expect(codes).toEqual(["none", "none"]);
    expect(looks[0]).toBe(looks[1] ?? 0); // the same queries, so the timing reveals nothing either
    const rows = await ctx.db.selectFrom("users").select("email").orderBy("id").execute();
    expect(rows.map(({ email }) => email)).toEqual(["Ann@Example.org", "ann@example.org", "nobody@example.org"]);
  });

  test("each login has its own session, and a wrong password, an unknown name and no password get the same error", async () => {
    await using server = await start(open);
    const { ctx, clock } = server;
    const first = await signUp(ctx, "ann");
    const second = await logIn(ctx, "ANN");
    expect(second.token).not.toBe(first.token);
    expect(await authenticateSession(ctx, first.token)).not.toBeNull();
    const wrong = await logIn(ctx, "ann", "wrong horse battery").catch((error) => error);
    const unknown = await logIn(ctx, "nobody").catch((error) => error);
    expect(wrong).toMatchObject({ code: "invalid_credentials", status: 401 });
    expect([unknown.code, unknown.message]).toEqual([wrong.code, wrong.message]);
    await ctx.db
      .updateTable("users")
      .set({ suspended_until: clock.now() + 60_000 })
      .execute();
    expect(await codeOf(logIn(ctx, "ann"))).toBe("account_suspended");
    expect(await codeOf(logIn(ctx, "ann", "wrong horse battery"))).toBe("invalid_credentials");
    clock.advance(60_000);
    expect(await codeOf(logIn(ctx, "ann"))).toBe("none");
    await ctx.db.updateTable("users").set({ password_hash: null }).execute();
    expect(await codeOf(logIn(ctx, "ann"))).toBe("invalid_credentials");
  });

  test("failed logins slow the name down, even for the right password, and parallel guesses gain nothing", async () => {
    await using server = await start(open);
    const { ctx, clock } = server;
    await signUp(ctx, "ann");
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => codeOf(logIn(ctx, "ann", `guess number ${i}`))),
    );
    const tried = guesses.filter((code) => code === "invalid_credentials").length;
    expect(tried).toBeGreaterThanOrEqual(5);
    expect(tried).toBeLessThanOrEqual(6); // two run at a time
    expect(guesses.filter((code) => code === "rate_limited")).toHaveLength(20 - tried);
    const refused = await logIn(ctx, "ann").catch((error) => error);
    expect(refused).toMatchObject({ code: "rate_limited", status: 429 });
    expect(refused.retryAfter).toBeGreaterThan(0);
    clock.advance(refused.retryAfter * 1000);
    expect(await codeOf(logIn(ctx, "ann"))).toBe("none");
  });

  test("a login starts no session if the password changes while it is checked", async () => {
    await using server = await start(open);
    const { ctx } = server;
    await signUp(ctx, "ann");
    const { verify } = PasswordThreads.prototype;
    using checking = spyOn(PasswordThreads.prototype, "verify");
    checking.mockImplementation(async function (this: PasswordThreads, ...both) {
      await ctx.db.updateTable("users").set({ password_hash: "another" }).execute();
      return verify.apply(this, both);
    });
    expect(await codeOf(logIn(ctx, "ann"))).toBe("invalid_credentials");
    expect(checking).toHaveBeenCalledTimes(1);
  });
});
