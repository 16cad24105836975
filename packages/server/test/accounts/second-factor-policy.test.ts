import { afterEach, describe, expect, test } from "bun:test";
import type { Config } from "../../src/config/config.ts";
import { setUpApp } from "../support/authenticator-app.ts";
import { stillDate } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { cookieOf, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { setLevel, staff } from "../support/staff.ts";

/** PARLEY_REQUIRE_2FA: what users can do who lack a second factor (protocol §13.9). */
describe("PARLEY_REQUIRE_2FA", () => {
  const clock = stillDate();
  let server: TestServer | undefined;
  afterEach(() => server?.[Symbol.asyncDispose]());
  const start = async (requireSecondFactor: Config["requireSecondFactor"]) => {
    server = await startTestServer({ requireSecondFactor }, { clock });
    return server;
  };
  const refusal = { event: "error", data: { code: "second_factor_setup_required" } };

  test("all: a user can only set a factor up, log out and read their own profile", async () => {
    const { user, guest } = await start("all");
    const ann = await user("ann");
    await user("bob");
    for (const [method, path] of [
      ["GET", "/api/channels"],
      ["GET", "/api/user/bob"],
      ["GET", "/api/auth/sessions"],
      ["GET", "/api/user/ann/avatar"],
      ["GET", "/api/user/ann/export"],
      ["PUT", "/api/user/ann"],
      ["DELETE", "/api/user/ann"],
      ["POST", "/api/messages"],
      ["POST", "/api/auth/recovery-codes"],
      ["DELETE", "/api/auth/totp"],
    ] as const)
      expectError(
        await ann.send(method, path, method === "GET" ? {} : { body: {} }),
        403,
        "second_factor_setup_required",
      );
    expect((await ann.get("/api/user/ann")).status).toBe(200);
    expect((await ann.get("/api/auth/passkeys")).status).toBe(200);
    // Nothing is taken from guests.
    expect((await guest.get("/api/channels")).status).toBe(200);
    const { second_factor } = (await ann.get("/api/auth/second-factor")).body;
    expect(second_factor).toMatchObject({ required: true, setup_required: true });

    await setUpApp(ann, clock);
    expect((await ann.get("/api/channels")).status).toBe(200);
    expect((await ann.get("/api/auth/second-factor")).body.second_factor).toMatchObject({ setup_required: false });
    expect((await ann.delete("/api/auth/totp")).status).toBe(200);
    expectError(await ann.get("/api/channels"), 403, "second_factor_setup_required");
    expect((await ann.post("/api/auth/logout")).status).toBe(200);
  });

  test("all: a socket gets no event and runs no command until then, and again when the factor is gone", async () => {
    const { url, user, ctx } = await start("all");
    const ann = await user("ann");
    await using socket = await LiveSocket.open(url, ann.credential);
    expect((await socket.next("session:ready")).data).toMatchObject({
      user: { username: "ann" },
      second_factor_setup_required: true,
    });
    const join = () => socket.ask("channel:join", { channel_slug: "general" });
    expect(await join()).toMatchObject(refusal);
    expect(await socket.ask("message:send", { channel_slug: "general", content: "hello" })).toMatchObject(refusal);
    expect(await socket.ask("page:visible", { visible: true })).toMatchObject(refusal);
    expect((await socket.ask("ping")).event).toBe("ack");
    expect(await ctx.presence.isUserOnline(1)).toBe(false);

    const app = await setUpApp(ann, clock);
    await eventually("the socket is admitted", () => socket.frames.filter(isReady).length === 2);
    expect(socket.frames.filter(isReady).at(-1)?.data).not.toHaveProperty("second_factor_setup_required");
    expect((await join()).event).toBe("ack");
    await eventually("ann is online", () => ctx.presence.isUserOnline(1));

    expect((await ann.delete("/api/auth/totp")).status).toBe(200);
    await eventually("the socket is restricted", () => socket.frames.filter(isReady).length === 3);
    expect(socket.frames.some(({ event }) => event === "access:ended")).toBe(true);
    expect(await join()).toMatchObject(refusal);
    expect(app.recoveryCodes).toHaveLength(10);
  });

  test("all: agents' keys work as before", async () => {
    const { agent } = await start("all");
    const bot = await agent("bot");
    expect((await bot.get("/api/agenthub/me")).status).toBe(200);
  });

  test("all: the password alone does not log in to an account that has only a passkey", async () => {
    const { ctx, user, guest } = await start("all");
    await user("ann");
    const row = { credential_id: "AA", public_key: "AA", counter: 0, transports: "[]", name: "laptop" };
    const { id: user_id } = await ctx.db
      .selectFrom("users")
      .select("id")
      .where("username", "=", "ann")
      .executeTakeFirstOrThrow();
    await ctx.db
      .insertInto("passkeys")
      .values({ ...row, user_id, is_synced: 0, created_at: clock.now(), last_used_at: null })
      .execute();
    const login = await guest.post("/api/auth/login", { username: "ann", password: "correct horse battery" });
    expectError(login, 401, "second_factor_required");
    expect(login.body.details.methods).toEqual(["passkey"]);
  });

  test("staff: only users with a site level, also when they get it during a session", async () => {
    const running = await start("staff");
    const ann = await running.user("ann");
    const ruth = await staff(running, "ruth", 1);
    expect((await ann.get("/api/channels")).status).toBe(200);
    expectError(await ruth.get("/api/channels"), 403, "second_factor_setup_required");
    await setLevel(running, "ann", 2);
    expectError(await ann.get("/api/channels"), 403, "second_factor_setup_required");
  });

  test("off: nobody, and a passkey does not change a login with the password", async () => {
    const { ctx, user, guest } = await start("off");
    const ann = await user("ann");
    expect((await ann.get("/api/auth/second-factor")).body.second_factor).toMatchObject({ required: false });
    const row = { credential_id: "AA", public_key: "AA", counter: 0, transports: "[]", name: "laptop", user_id: 1 };
    await ctx.db
      .insertInto("passkeys")
      .values({ ...row, is_synced: 0, created_at: clock.now(), last_used_at: null })
      .execute();
    const login = await guest.post("/api/auth/login", { username: "ann", password: "correct horse battery" });
    expect(login.status).toBe(200);
    expect(cookieOf(login)).toContain("parley_session");
  });
});

const isReady = ({ event }: { event: string }): boolean => event === "session:ready";
