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
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Client, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, setLevel, staff } from "../support/staff.ts";

const NEW = "a staple and a battery";
const DAY = 86_400_000;

/** Links to choose a new password (protocol §13.0). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  let count = 0;
  const server = await forAllTests(startTestServer({}, { database: await open(clock), clock }));
  const ruth = await staff(server, "ruth", 2);

  const make = (by: Client, username: string, body: object = {}) =>
    by.post(`/api/admin/users/${username}/reset-link`, body);
  const tokenFor = async (username: string, by: Client = ruth): Promise<string> => {
    const { status, body } = await make(by, username);
    expect(status).toBe(201);
    return body.url.split("#")[1];
  };
  const redeem = (token: string, password = NEW) => server.guest.post("/api/auth/reset", { token, password });
  const expectEnded = async (token: string) => expectError(await redeem(token), 410, "reset_link_expired");

  test("a link gives a new password once, ends all sessions and sockets, and is audited and noticed", async () => {
    const ann = await server.newUser();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    const made = await make(ruth, ann.username);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const [address, token = ""] = made.body.url.split("#");
    expect([address, token.length]).toEqual([`${server.url}/reset`, 43]);
    expect(Math.abs(Date.parse(made.body.expires_at) - clock.now() - DAY)).toBeLessThan(60_000);
    expect((await dump(server.ctx.db)).some(({ text }) => text.includes(token))).toBe(false);
    // Until the link is used, nothing changes.
    expect((await ann.get("/api/auth/sessions")).status).toBe(200);

    const answer = await redeem(token);
    expect(answer.status).toBe(200);
    expect(answer.body.username).toBe(ann.username);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await socket.whenClosed()).code).toBe(4401);
    expectError(await ann.get("/api/auth/sessions"), 401, "session_required");
    const old = { username: ann.username, password: PASSWORD };
    expectError(await server.guest.post("/api/auth/login", old), 401, "invalid_credentials");
    await expectEnded(token);

    const again = await logIn(server.url, ann.username, NEW);
    const { notices } = (await again.get("/api/security-notices")).body;
    const told = notices.map((notice: Record<string, string>) => `${notice.kind} ${notice.actor_username}`);
    expect(told).toEqual(["new_device null", "password_changed null", "reset_link_made ruth"]);
    expect((await auditLines(server)).slice(-2)).toEqual([
      expect.stringMatching(/^ruth user_reset_link user:\d+$/),
      expect.stringMatching(/^ruth user_reset user:\d+$/),
    ]);
  });

  test("a password that is refused leaves the link valid, and of concurrent redemptions one succeeds", async () => {
    const ann = await server.newUser();
    const token = await tokenFor(ann.username);
    expectError(await redeem(token, "short"), 400, "weak_password");
    const answers = await Promise.all([1, 2, 3].map((n) => redeem(token, `${NEW} ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    const winner = answers.findIndex(({ status }) => status === 200) + 1;
    await logIn(server.url, ann.username, `${NEW} ${winner}`);
  });

  test("a missing field is a malformed request, and not an expired link", async () => {
    for (const body of [{}, { password: NEW }, { token: null, password: NEW }])
      expectError(await server.guest.post("/api/auth/reset", body), 400, "invalid_request");
  });

  test("tokens that are unknown, malformed or of another kind get the same answer as an expired one", async () => {
    const ann = await server.newUser();
    const token = await tokenFor(ann.username);
    const cookie = ann.credential.cookie?.split("=")[1] ?? "";
    for (const wrong of ["", "x", "A".repeat(43), `${token}A`, cookie, ann.username]) await expectEnded(wrong);
    // Without a valid link, a weak password is not even looked at.
    expectError(await redeem("A".repeat(43), "x"), 410, "reset_link_expired");
    clock.ahead += DAY;
    try {
      await expectEnded(token);
    } finally {
      clock.ahead -= DAY;
    }
  });

  describe("a link ends when", () => {
    test("a newer one is made, or the password changes by other means", async () => {
      const ann = await server.newUser();
      const first = await tokenFor(ann.username);
      const second = await tokenFor(ann.username);
      await expectEnded(first);
      expect((await ann.put(`/api/user/${ann.username}`, { password: `${NEW}!` })).status).toBe(200);
      await expectEnded(second);
      await logIn(server.url, ann.username, `${NEW}!`);
    });

    test("its maker loses the level, is suspended or erased, or no longer ranks above the user", async () => {
      const ann = await server.newUser();
      const rita = await staff(server, `rita${++count}`, 2);
      const demoted = await tokenFor(ann.username, rita);
      await setLevel(server, rita.username, null);
      await expectEnded(demoted);
      await setLevel(server, rita.username, 2);
      await setLevel(server, ann.username, 2);
      await expectEnded(demoted);
      await setLevel(server, ann.username, null);
      // Nothing else has changed meanwhile: a refusal does not use the link up.
      await changeStanding(server.ctx, COMMAND_LINE, rita.username, { suspendedUntil: FOR_EVER });
      await expectEnded(demoted);
      await changeStanding(server.ctx, COMMAND_LINE, rita.username, { suspendedUntil: null });
      const back = await logIn(server.url, rita.username);
      await back.delete(`/api/user/${rita.username}`, { body: { password: PASSWORD } });
      await expectEnded(demoted);
    });

    test("the account is erased, and erasure leaves no link behind", async () => {
      const ann = await server.newUser();
      const token = await tokenFor(ann.username);
      await ann.delete(`/api/user/${ann.username}`, { body: { password: PASSWORD } });
      await expectEnded(token);
      await eraseAll(server.ctx);
      const kept = await server.ctx.db
        .selectFrom("reset_links")
        .innerJoin("users", "users.id", "reset_links.user_id")
        .select("users.id")
        .where("users.erased_at", "is not", null)
        .execute();
      expect(kept).toEqual([]);
    });
  });

  test("administrators make links only for users of a lower level, and the operator for everybody", async () => {
    const ann = await server.newUser();
    const peer = await staff(server, `peer${++count}`, 2);
    const boss = await staff(server, `boss${++count}`, 3);
    const mod = await staff(server, `mod${++count}`, 1);
    for (const name of [peer.username, boss.username, "ruth"]) expectError(await make(ruth, name), 403, "forbidden");
    expectError(await make(mod, ann.username), 403, "forbidden");
    expectError(await make(mod, "nobody-here"), 403, "forbidden");
    expectError(await make(ann, ann.username), 403, "forbidden");
    expectError(await make(boss, boss.username), 403, "forbidden");
    expectError(await make(ruth, "nobody-here"), 404, "user_not_found");
    const { url } = await makeOperatorsLink(server.ctx, boss.username, server.url);
    expect((await redeem(url.split("#")[1] ?? "")).status).toBe(200);
    await logIn(server.url, boss.username, NEW);
    expect((await auditLines(server)).at(-1)).toMatch(/^command line user_reset user:\d+$/);
  });

  test("an administrator who logged in long ago confirms with their own password", async () => {
    const ann = await server.newUser();
    const rita = await staff(server, `rita${++count}`, 2);
    clock.ahead += 11 * 60_000;
    try {
      expectError(await make(rita, ann.username), 403, "reauth_required");
      expectError(await make(rita, ann.username, { current_password: "wrong" }), 403, "reauth_required");
      expect((await make(rita, ann.username, { current_password: PASSWORD })).status).toBe(201);
      // The confirmation lasts as long as that of a login.
      expect((await make(rita, ann.username)).status).toBe(201);
    } finally {
      clock.ahead -= 11 * 60_000;
    }
  });

  test("an owner that the command line promotes is not reachable by a link from before", async () => {
    const ann = await server.newUser();
    const token = await tokenFor(ann.username);
    await createOwner(server.ctx, ann.username, PASSWORD);
    await expectEnded(token);
    await logIn(server.url, ann.username);
  });
});

test("guesses at links are limited per network", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 }, { clock: untimed });
  const guess = () => server.guest.post("/api/auth/reset", { token: "A".repeat(43), password: NEW });
  const codes: string[] = [];
  for (let n = 0; n < 21; n += 1) codes.push((await guess()).body.code);
  expect(new Set(codes.slice(0, 20))).toEqual(new Set(["reset_link_expired"]));
  expect(codes[20]).toBe("rate_limited");
});
