import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { stillClock } from "../../../test/support/clock.ts";
import { testConfig } from "../../../test/support/config.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase, type OpenFresh } from "../../../test/support/databases.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { createUser } from "../accounts.service.ts";
import {
  authenticateSession,
  clearedSessionCookie,
  endSession,
  endUserSessions,
  readSessionCookie,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  sessionCookie,
  startSession,
} from "./sessions.ts";

const plain = testConfig();
const secure = testConfig({ secureCookies: true });
const tokens = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);

describe("the session cookie", () => {
  test("has the attributes that the protocol requires", () => {
    expect(sessionCookie(plain, "t")).toBe("parley_session=t; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax");
    expect(sessionCookie(secure, "t")).toBe(
      "__Host-parley_session=t; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure",
    );
    expect(clearedSessionCookie(plain)).toBe("parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
  });

  test("is found among any other cookies", () => {
    const other = fc
      .tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[ -:<-~]{0,20}$/))
      .map(([name, value]) => `${name}=${value}`);
    fc.assert(
      fc.property(tokens, fc.array(other), fc.array(other), fc.boolean(), (token, before, after, isSecure) => {
        const config = isSecure ? secure : plain;
        const own = sessionCookie(config, token).split(";", 1)[0] ?? "";
        expect(readSessionCookie(config, [...before, own, ...after].join("; "))).toBe(token);
      }),
    );
  });

  test("is parsed without an exception from any header", () => {
    fc.assert(fc.property(fc.string(), (header) => void readSessionCookie(plain, header)));
    expect(readSessionCookie(plain, null)).toBeNull();
    expect(readSessionCookie(plain, "")).toBeNull();
    expect(readSessionCookie(plain, "parley_session")).toBeNull();
    expect(readSessionCookie(plain, "parley_session=")).toBeNull();
    expect(readSessionCookie(plain, "xparley_session=a; __Host-parley_session=b")).toBeNull();
    expect(readSessionCookie(secure, "parley_session=a")).toBeNull();
    expect(readSessionCookie(plain, "a=b;parley_session=first; parley_session=second")).toBe("first");
  });
});

const origin = { address: "192.0.2.1", userAgent: "test" };

async function start(open: OpenFresh) {
  const clock = stillClock();
  const database = await open(clock);
  const closers: (() => void | Promise<void>)[] = [];
  const ctx = testContext(database, { clock, onClose: (act) => void closers.push(act) });
  const user = await transact(ctx, (ctx) =>
    createUser(ctx, { username: "ann", email: null, passwordHash: null, invitedBy: null, adminLevel: null }),
  );
  const close = async () => {
    for (const act of closers) await act();
    await database[Symbol.asyncDispose]();
  };
  return { ctx, clock, userId: user.id, [Symbol.asyncDispose]: close };
}

/** The same database seen by a server with empty caches. */
const otherServer = (ctx: AppContext): AppContext =>
  testContext({ db: ctx.db } as never, { clock: ctx.clock, onClose: ctx.onClose });

/** Waits a few queries for background writes. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  await eventually("it is written", holds, 20_000);
}

eachDatabase((_, open) => {
  test("a token is recognized at once without SQL, and only its hash is stored", async () => {
    await using server = await start(open);
    const { ctx, userId } = server;
    const { token, identity } = await startSession(ctx, userId, origin);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(identity).toMatchObject({
      kind: "user",
      userId,
      username: "ann",
      adminLevel: null,
      honorLevel: 0,
      authenticatedAt: ctx.clock.now(),
    });
    expect(authenticateSession(ctx, token)).toEqual(identity); // not a promise
    const [row] = await ctx.db.selectFrom("sessions").selectAll().execute();
    expect(row).toMatchObject({ id: identity.sessionId, user_id: userId, address: "192.0.2.1", user_agent: "test" });
    expect(row?.token_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(token);

    const other = otherServer(ctx);
    const read = authenticateSession(other, token);
    expect(read).toBeInstanceOf(Promise);
    expect(await read).toEqual(identity);
    expect(authenticateSession(other, token)).toEqual(identity);
  });

  test("unknown tokens authenticate nobody", async () => {
    await using server = await start(open);
    const { ctx, userId } = server;
    const { token } = await startSession(ctx, userId, origin);
    const flipped = (token.startsWith("A") ? "B" : "A") + token.slice(1);
    expect(await authenticateSession(ctx, flipped)).toBeNull();
    for (const text of ["", "x", `${token}x`, token.slice(1), `${token.slice(1)}'`])
      expect(authenticateSession(ctx, text)).toBeNull();
  });

  test("a session ends after 7 idle days and after 30 days in any case, whether it is cached or not", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const { token } = await startSession(ctx, userId, origin);
    const started = clock.now();
    // Used every 6 days, it lives until the 30-day limit.
    while (clock.now() - started + 6 * 86_400_000 < SESSION_MAX_MS) {
      clock.advance(6 * 86_400_000);
      expect(await authenticateSession(ctx, token)).not.toBeNull();
    }
    clock.advance(SESSION_MAX_MS - (clock.now() - started) - 1);
    expect(await authenticateSession(ctx, token)).not.toBeNull();
    clock.advance(1);
    expect(await authenticateSession(ctx, token)).toBeNull();
    expect(await authenticateSession(otherServer(ctx), token)).toBeNull();

    const second = await startSession(ctx, userId, origin);
    clock.advance(SESSION_IDLE_MS);
    expect(await authenticateSession(ctx, second.token)).toBeNull();
    expect(await authenticateSession(otherServer(ctx), second.token)).toBeNull();
    // The next login removes expired sessions.
    await startSession(ctx, userId, origin);
    expect(await ctx.db.selectFrom("sessions").select("id").execute()).toHaveLength(1);
  });

  test("last_seen_at is written at most once a minute", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const older = await startSession(ctx, userId, origin);
    clock.advance(1);
    const started = clock.now();
    const { token, identity } = await startSession(ctx, userId, origin);
    const seen = async (id = identity.sessionId) => {
      const row = ctx.db.selectFrom("sessions").select("last_seen_at").where("id", "=", id);
      return (await row.executeTakeFirstOrThrow()).last_seen_at - started;
    };
    clock.advance(59_999);
    authenticateSession(ctx, token);
    authenticateSession(ctx, older.token);
    // Uses of both sessions would share one write.
    await until(async () => (await seen(older.identity.sessionId)) === 59_999);
    expect(await seen()).toBe(0);
    clock.advance(1);
    authenticateSession(ctx, token);
    clock.advance(10);
    authenticateSession(ctx, token);
    await until(async () => (await seen()) !== 0);
    // When it was used, not when that was written. The next use waits for a minute.
    expect(await seen()).toBe(60_000);
  });

  test("a user who has earned nothing has level 0, although one point would be the next", async () => {
    await using server = await start(open);
    const { ctx, userId } = server;
    const { token } = await startSession(ctx, userId, origin);
    const generous = Object.assign(otherServer(ctx), { config: testConfig({ honorThresholds: [0, 1] }) });
    expect((await authenticateSession(generous, token))?.honorLevel).toBe(0);
  });

  test("concurrent updates of last_seen_at share one write", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const tokens: string[] = [];
    // 24 fit into one statement. 20 would take two, and a read between them would see both times.
    for (let i = 0; i < 24; i++) tokens.push((await startSession(ctx, userId, origin)).token);
    await ctx.db.deleteFrom("sessions").where("id", "=", 3).execute();
    clock.advance(60_000);
    for (const token of tokens) expect(authenticateSession(ctx, token)).not.toBeNull();
    const times = () => ctx.db.selectFrom("sessions").select("last_seen_at").distinct().execute();
    await until(async () => (await times())[0]?.last_seen_at === clock.now());
    expect(await times()).toHaveLength(1);
    await until(async () => (await authenticateSession(ctx, tokens[2] ?? "")) === null);
  });

  test("a server that stops stores the last use before", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const { token } = await startSession(ctx, userId, origin);
    const closers: (() => unknown)[] = [];
    const other = testContext({ db: ctx.db } as never, { clock, onClose: (act) => void closers.push(act) });
    clock.advance(120_000);
    await authenticateSession(other, token);
    for (const close of closers) await close();
    const { last_seen_at } = await ctx.db.selectFrom("sessions").select("last_seen_at").executeTakeFirstOrThrow();
    expect(last_seen_at).toBe(clock.now());
  });

  test("a session that is deleted in the database is noticed within a minute", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const { token, identity } = await startSession(ctx, userId, origin);
    await ctx.db.deleteFrom("sessions").execute();
    expect(authenticateSession(ctx, token)).toEqual(identity);
    clock.advance(60_000);
    expect(authenticateSession(ctx, token)).toEqual(identity); // this call triggers the write
    await until(async () => (await authenticateSession(ctx, token)) === null);
  });

  test("ending one session, or all but one, takes effect at once and is stored", async () => {
    await using server = await start(open);
    const { ctx, userId } = server;
    const [a, b, c] = [
      await startSession(ctx, userId, origin),
      await startSession(ctx, userId, origin),
      await startSession(ctx, userId, origin),
    ];
    const alive = async (server: AppContext) =>
      Promise.all([a, b, c].map(async ({ token }) => (await authenticateSession(server, token)) !== null));
    expect(await endSession(ctx, userId + 1, a.identity.sessionId)).toBe(false);
    // Nothing is announced: it stays in memory.
    expect(authenticateSession(ctx, a.token)).toEqual(a.identity);
    expect(await endSession(ctx, userId, a.identity.sessionId)).toBe(true);
    expect(await endSession(ctx, userId, a.identity.sessionId)).toBe(false);
    expect(await alive(ctx)).toEqual([false, true, true]);
    await endUserSessions(ctx, userId, c.identity.sessionId);
    expect(await alive(ctx)).toEqual([false, false, true]);
    expect(await alive(otherServer(ctx))).toEqual([false, false, true]);
    await endUserSessions(ctx, userId);
    expect(await alive(ctx)).toEqual([false, false, false]);
  });

  test("an announcement from another node clears the cache, and a suspended user is not authenticated", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const { token } = await startSession(ctx, userId, origin);
    await ctx.db
      .updateTable("users")
      .set({ admin_level: 2, suspended_until: clock.now() + 1_000 })
      .execute();
    publishControl(ctx, "user_changed", userId);
    expect(await authenticateSession(ctx, token)).toBeNull();
    clock.advance(1_000);
    expect(await authenticateSession(ctx, token)).toMatchObject({ adminLevel: 2 });
  });

  test("a session read before an announcement is not cached after it", async () => {
    await using server = await start(open);
    const { token, identity } = await startSession(server.ctx, server.userId, origin);
    const ctx = otherServer(server.ctx);
    const reading = authenticateSession(ctx, token);
    publishControl(ctx, "session_ended", identity.sessionId);
    await reading;
    const again = authenticateSession(ctx, token);
    expect(again).toBeInstanceOf(Promise);
    await again;
  });

  test("a login that is rolled back leaves no session in the database or in memory", async () => {
    await using server = await start(open);
    const { ctx, userId } = server;
    let token = "";
    const login = transact(ctx, async (ctx) => {
      token = (await startSession(ctx, userId, origin)).token;
      throw new Error("undone");
    });
    expect(await login.catch((error) => error.message)).toBe("undone");
    expect(await authenticateSession(ctx, token)).toBeNull();
  });

  test("a user keeps at most their hundred latest sessions", async () => {
    await using server = await start(open);
    const { ctx, clock, userId } = server;
    const first = await startSession(ctx, userId, origin);
    for (let i = 0; i < 100; i += 1) {
      clock.advance(1);
      await startSession(ctx, userId, origin);
    }
    expect(await authenticateSession(ctx, first.token)).toBeNull();
    expect(await ctx.db.selectFrom("sessions").select("id").execute()).toHaveLength(100);
  });
});
