import { describe, expect, test } from "bun:test";
import { login } from "../../src/accounts/accounts.service.ts";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { cli } from "../support/cli.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, cookieOf, eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** Suspending users and giving levels (protocol §0, §2) over real HTTP and sockets, and at the command line. */

const server = await forAllTests(startTestServer());
const moderator = await staff(server, "maud", 1);
const administrator = await staff(server, "ruth", 2);
const siteOwner = await staff(server, "olga", 3);

const put = (who: Client, name: string, body: object) => who.put(`/api/admin/users/${name}`, body);
const later = () => new Date(Date.now() + 3_600_000).toISOString();
const logIn = (username: string) => server.guest.post("/api/auth/login", { username, password: PASSWORD });
/** Returns an agent of which this user is the verified owner. */
async function ownedAgent(username: string): Promise<Client> {
  const { api_key } = await issueKey(server.ctx, { agentName: `${username} bot`, ownerUsername: username });
  return new Client(server.url, { authorization: `Bearer ${api_key}` });
}

describe("a suspension", () => {
  test("ends sessions, sockets and the user's agents at once, and admits nobody until it is lifted", async () => {
    const mallory = await server.newUser();
    const bot = await ownedAgent(mallory.username);
    const agentName = `${mallory.username} bot`;
    await bot.post("/api/agenthub/login", { channel_slug: "general", agent_name: agentName });
    await using stream = await EventReader.open(server.url, bot.credential);
    await using first = await LiveSocket.open(server.url, mallory.credential);
    await using second = await LiveSocket.open(server.url);
    await second.ask("auth:login", { username: mallory.username, password: PASSWORD });
    await first.ask("channel:join", { channel_slug: "general" });

    const until = later();
    const answer = await put(administrator, mallory.username, { suspended_until: until });
    expect(answer.status).toBe(200);
    expect(answer.body.user).toMatchObject({ username: mallory.username, suspended_until: until });
    for (const socket of [first, second]) expect((await socket.whenClosed(2_000)).code).toBe(4403);
    expectError(await mallory.get("/api/auth/sessions"), 401, "session_required");
    expectError(await logIn(mallory.username), 403, "account_suspended");
    await using guest = await LiveSocket.open(server.url);
    const onSocket = await guest.ask("auth:login", { username: mallory.username, password: PASSWORD });
    expect(onSocket.data.code).toBe("account_suspended");

    expect((await stream.next(({ event }) => event === "stream:end")).data.code).toBe("agent_paused");
    await stream.ended;
    expectError(await bot.get("/api/agenthub/mentions"), 403, "agent_paused");
    const isOnline = async () => {
      const { users } = (await server.guest.get("/api/channels/1/online")).body;
      return users.some(({ name }: { name: string }) => name === agentName);
    };
    await eventually("the agent is off the list", async () => !(await isOnline()));

    const lifted = await put(administrator, mallory.username, { suspended_until: null });
    expect(lifted.body.user.suspended_until).toBeNull();
    expect((await logIn(mallory.username)).status).toBe(200);
    expectError(await mallory.get("/api/auth/sessions"), 401, "session_required");
    expect((await bot.get("/api/agenthub/mentions")).status).toBe(200);
  });

  test("ends at its time, and a time in the past lifts it", async () => {
    const clock = stillClock(Date.now());
    await using still = await startTestServer({}, { clock });
    const boss = await staff(still, "boss", 2);
    await still.user("mallory");
    const suspend = (suspended_until: string) => put(boss, "mallory", { suspended_until });
    const logIn = () => still.guest.post("/api/auth/login", { username: "mallory", password: PASSWORD });
    await suspend(new Date(clock.now() + 150).toISOString());
    clock.set(149);
    expectError(await logIn(), 403, "account_suspended");
    clock.set(1);
    expect((await logIn()).status).toBe(200);
    await suspend(later());
    expectError(await logIn(), 403, "account_suspended");
    const lifted = await suspend("2020-01-01T00:00:00.000Z");
    expect(lifted.body.user.suspended_until).toBeNull();
    expect((await logIn()).status).toBe(200);
  });

  test("is not outlived by a login at the same time", async () => {
    const mallory = await server.newUser();
    for (let round = 0; round < 5; round += 1) {
      const logIn = () =>
        login(server.ctx, { username: mallory.username, password: PASSWORD, address: "192.0.2.1", userAgent: null });
      const logins = Promise.allSettled(Array.from({ length: 4 }, logIn));
      await put(administrator, mallory.username, { suspended_until: later() });
      await logins;
      const { id } = await server.ctx.db
        .selectFrom("users")
        .select("id")
        .where("username", "=", mallory.username)
        .executeTakeFirstOrThrow();
      const sessions = await server.ctx.db.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
      expect(sessions).toEqual([]);
      await put(administrator, mallory.username, { suspended_until: null });
    }
  });
});

describe("the rights table for levels", () => {
  test("decides who can suspend whom", async () => {
    const mallory = await server.newUser();
    const bot = await server.agent();
    const table: [string, Client, string, number, string | undefined][] = [
      ["a guest", server.guest, mallory.username, 401, "session_required"],
      ["an agent", bot, mallory.username, 401, "session_required"],
      ["a user", await server.newUser(), mallory.username, 403, "forbidden"],
      ["a user", await server.newUser(), "nobody", 403, "forbidden"],
      ["a moderator", moderator, mallory.username, 403, "forbidden"],
      ["an administrator", administrator, mallory.username, 200, undefined],
      ["an administrator", administrator, "maud", 200, undefined],
      ["an administrator", administrator, "ruth", 403, "forbidden"],
      ["an administrator", administrator, "olga", 403, "forbidden"],
      ["an administrator", administrator, "nobody", 404, "user_not_found"],
      ["an owner", siteOwner, "ruth", 200, undefined],
      ["an owner", siteOwner, "olga", 403, "forbidden"],
    ];
    for (const [who, client, name, status, code] of table) {
      const answer = await put(client, name, { suspended_until: null });
      expect([who, name, answer.status, answer.body.code]).toEqual([who, name, status, code]);
    }
  });

  test("decides who can give and remove levels", async () => {
    const vera = await server.newUser();
    expectError(await put(administrator, vera.username, { admin_level: 1 }), 403, "forbidden");
    expectError(await put(siteOwner, "olga", { admin_level: null }), 403, "forbidden");
    expect((await put(siteOwner, vera.username, { admin_level: 2 })).body.user.admin_level).toBe(2);
    expect((await vera.get("/api/admin/users")).status).toBe(200);
    expectError(await put(administrator, vera.username, { suspended_until: later() }), 403, "forbidden");
    expect((await put(siteOwner, vera.username, { admin_level: null })).body.user.admin_level).toBeNull();
    expectError(await vera.get("/api/admin/users"), 403, "forbidden");
  });

  test.each<[object, string]>([
    [{}, "no_fields"],
    [{ nickname: "x" }, "no_fields"],
    [{ admin_level: 1, points: 1_000 }, "field_not_writable"],
    [{ email: "x@example.org" }, "field_not_writable"],
    [{ admin_level: 3 }, "invalid_request"],
    [{ admin_level: 0 }, "invalid_request"],
    [{ admin_level: "1" }, "invalid_request"],
    [{ suspended_until: "soon" }, "invalid_request"],
    [{ suspended_until: 5 }, "invalid_request"],
  ])("refuses %j with 400 %s", async (body, code) => {
    const vera = await server.newUser();
    expectError(await put(siteOwner, vera.username, body), 400, code);
  });
});

describe("the command line beside a running server", () => {
  const parley = (...args: string[]) => cli(args, { PARLEY_DATA_DIR: server.config.dataDir });

  test("suspends a user within 2 s, and ends the suspension", async () => {
    const mallory = await server.newUser();
    const bot = await ownedAgent(mallory.username);
    expect((await bot.get("/api/agenthub/mentions")).status).toBe(200);
    await using socket = await LiveSocket.open(server.url, mallory.credential);
    const told = await parley("user", "suspend", mallory.username.toUpperCase(), "--json");
    expect(JSON.parse(told.out)).toMatchObject({
      username: mallory.username,
      suspended_until: "9999-12-31T23:59:59.999Z",
    });
    expect((await socket.whenClosed(2_000)).code).toBe(4403);
    expectError(await logIn(mallory.username), 403, "account_suspended");
    expectError(await bot.get("/api/agenthub/mentions"), 403, "agent_paused");
    expect((await parley("user", "list", "--suspended")).out).toStartWith(`${mallory.username} · suspended until 9999`);

    expect((await parley("user", "unsuspend", mallory.username)).out).toContain("is not suspended");
    expect((await logIn(mallory.username)).status).toBe(200);
    await eventually("the agent goes on", async () => (await bot.get("/api/agenthub/mentions")).status === 200, 2_000);
  });

  test("gives and removes levels", async () => {
    const vera = await server.newUser();
    const rights = async () => (await vera.get("/api/admin/users")).status;
    expect(await rights()).toBe(403);
    const told = await parley("user", "level", vera.username, "administrator");
    expect(told.out).toBe(`${vera.username} now has level 2 (administrator).\n`);
    await eventually("she may", async () => (await rights()) === 200, 2_000);
    expect((await parley("user", "list", "--admins", "--prefix", vera.username, "--json")).out).toContain(
      '"admin_level":2',
    );
    await parley("user", "level", vera.username, "none");
    await eventually("she may not", async () => (await rights()) === 403, 2_000);
  });

  test.each<[string[], number, string]>([
    [["user", "suspend", "nobody"], 1, "This user does not exist"],
    [["user", "suspend", "maud", "--until", "soon"], 2, "must be a time in the future"],
    [["user", "suspend", "maud", "--until", "2020-01-01"], 2, "must be a time in the future"],
    [["user", "level", "maud", "king"], 2, "must be one of none, moderator, administrator"],
    [["user", "level", "maud"], 2, "<level> is missing"],
    [["audit", "--limit", "0"], 2, "--limit"],
  ])("refuses %j and says why", async (args, code, text) => {
    const answer = await parley(...args);
    expect([answer.code, answer.out]).toEqual([code, ""]);
    expect(answer.err).toContain(text);
  });

  test("lists its acts in the audit log", async () => {
    const lines = await auditLines(server);
    for (const act of ["user_suspend", "user_unsuspend", "user_level"]) {
      expect(lines.some((line) => line.startsWith(`command line ${act} user:`))).toBeTrue();
    }
    expect(lines.some((line) => line.startsWith("ruth user_suspend user:"))).toBeTrue();
    const shown = await parley("audit", "--actor", "COMMAND LINE", "--action", "user_level", "--limit", "1", "--json");
    expect(JSON.parse(shown.out).entries).toEqual([
      expect.objectContaining({ actor: "command line", action: "user_level", details: { from: 2, to: null } }),
    ]);
    const words = (await parley("audit", "--limit", "200")).out.trim().split("\n");
    expect(words).toHaveLength(lines.length);
    expect(words.at(-1)).toContain(" · command line · user_level · user:");
  });
});

test("a user who logs in after a suspension has a new session", async () => {
  const mallory = await server.newUser();
  await put(administrator, mallory.username, { suspended_until: later() });
  await put(administrator, mallory.username, { suspended_until: null });
  const again = new Client(server.url, { cookie: cookieOf(await logIn(mallory.username)) });
  expect((await again.get("/api/auth/sessions")).body.sessions).toHaveLength(1);
});
