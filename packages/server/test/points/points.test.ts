import { describe, expect, test } from "bun:test";
import { createOwner } from "../../src/channels/newcomers.ts";
import { cliProcess } from "../support/cli.ts";
import { clockAhead } from "../support/clock.ts";
import { temporaryFolder } from "../support/config.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say, sayId } from "../support/say.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import {
  type Client,
  eventually,
  logIn,
  type Named,
  PASSWORD,
  startTestServer,
} from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off", honorThresholds: [0, 2, 4, 20] }));

let names = 0;
const userOf = async (name: string) => (await server.guest.get(`/api/user/${name}`)).body;
const honorOf = async (name: string) => (await server.guest.get(`/api/user/${name}/honor`)).body;
const scores = async (name: string) => {
  const [{ points, honor_level }, { total_points }] = [await userOf(name), await honorOf(name)];
  return { points, honor_level, total_points };
};

/** Registers with that user's code, with or without a session. */
async function invite(inviter: Named, as: Client = server.guest) {
  const code = (await inviter.get(`/api/user/${inviter.username}`)).body.invite_code;
  const username = `p${++names}`;
  const answer = await as.post("/api/auth/register", { username, password: PASSWORD, invite_code: code });
  return { username, answer };
}

describe("the initial points of a new user", () => {
  test("are in the response, the profile and the ledger, and are not honor", async () => {
    const { status, body } = await server.guest.post("/api/auth/register", {
      username: "newcomer",
      password: PASSWORD,
    });
    expect({ status, user: body.user }).toEqual({ status: 201, user: { username: "newcomer", points: 100 } });
    expect(await scores("newcomer")).toEqual({ points: 100, honor_level: 0, total_points: 0 });
  });

  test("are configurable, also as zero, and are given to owners created on the command line", async () => {
    await using other = await startTestServer({ initialPoints: 0 });
    const answer = await other.guest.post("/api/auth/register", { username: "ann", password: PASSWORD });
    expect(answer.body.user.points).toBe(0);
    const ann = await other.user("bea");
    expect((await ann.get("/api/user/bea/points")).body).toMatchObject({ points: 0, entries: [] });
    await createOwner(server.ctx, "boss", PASSWORD);
    expect((await userOf("boss")).points).toBe(100);
  });
});

describe("an invitation", () => {
  test("pays the inviter 10 points for each user who registers", async () => {
    const ann = await server.newUser();
    for (const count of [1, 2]) {
      const { username, answer } = await invite(ann);
      expect(answer.status).toBe(201);
      expect(await scores(ann.username)).toMatchObject({ points: 100 + 10 * count, total_points: 10 * count });
      expect((await honorOf(ann.username)).invite_count).toBe(count);
      expect(await scores(username)).toMatchObject({ points: 100, total_points: 0 });
    }
  });

  test("of a failed registration pays nothing", async () => {
    const ann = await server.newUser();
    const code = (await ann.get(`/api/user/${ann.username}`)).body.invite_code;
    const body = { username: ann.username, password: PASSWORD, invite_code: code };
    expectError(await server.guest.post("/api/auth/register", body), 409, "username_taken");
    expect(await honorOf(ann.username)).toMatchObject({ invite_count: 0, total_points: 0 });
  });

  test("with the user's own code from their own session invites nobody", async () => {
    const ann = await server.newUser();
    expect((await invite(ann, ann)).answer.status).toBe(201);
    expect(await honorOf(ann.username)).toMatchObject({ invite_count: 0, total_points: 0 });
  });

  test("does not work in a circle: a user with an account cannot be invited", async () => {
    const ann = await server.newUser();
    const bob = await logIn(server.url, (await invite(ann)).username);
    const code = (await bob.get(`/api/user/p${names}`)).body.invite_code;
    const again = { username: ann.username, password: PASSWORD, invite_code: code };
    expectError(await server.guest.post("/api/auth/register", again), 409, "username_taken");
    expectError(await ann.put(`/api/user/${ann.username}`, { invite_code: code }), 400, "field_not_writable");
    expect((await server.guest.post("/api/auth/login", again)).status).toBe(200);
    expect(await honorOf(`p${names}`)).toMatchObject({ invite_count: 0, total_points: 0 });
    expect(await honorOf(ann.username)).toMatchObject({ invite_count: 1, total_points: 10 });
  });

  test("of a suspended user is refused", async () => {
    const ann = await server.newUser();
    const code = (await ann.get(`/api/user/${ann.username}`)).body.invite_code;
    await server.ctx.db
      .updateTable("users")
      .set({ suspended_until: server.ctx.clock.now() + 60_000 })
      .where("username", "=", ann.username)
      .execute();
    const body = { username: `p${++names}`, password: PASSWORD, invite_code: code };
    expectError(await server.guest.post("/api/auth/register", body), 400, "invalid_invite_code");
    expect(await honorOf(ann.username)).toMatchObject({ invite_count: 0, total_points: 0 });
  });
});

describe("sending messages", () => {
  test("is counted at once and exactly, over all channels, and pays a point per hundred", async () => {
    const ann = await server.newUser();
    const bob = await server.newUser();
    const general = 1;
    const { body } = await ann.post("/api/channels", { name: "Counting" });
    const own = body.channel_id;
    await say(ann, own);
    expect((await honorOf(ann.username)).message_count).toBe(1);
    const sends = Array.from({ length: 98 }, (_, n) => sayId(n % 3 === 0 ? bob : ann, n % 2 === 0 ? general : own));
    await Promise.all(sends);
    const [a, b] = [await honorOf(ann.username), await honorOf(bob.username)];
    expect([a.message_count, b.message_count, a.total_points]).toEqual([66, 33, 0]);
    await Promise.all(Array.from({ length: 33 }, () => sayId(ann, general)));
    const deleted = await sayId(ann, own);
    await ann.delete(`/api/messages/${deleted}`);
    expect(await honorOf(ann.username)).toMatchObject({ message_count: 100, total_points: 1 });
    expect((await userOf(ann.username)).points).toBe(101);
    await Promise.all(Array.from({ length: 100 }, () => sayId(ann, own)));
    await Promise.all([honorOf(ann.username), honorOf(ann.username), honorOf(bob.username)]);
    expect(await honorOf(ann.username)).toMatchObject({ message_count: 200, total_points: 2 });
  });

  test("by agents counts for nobody, and repeats with the same key count once", async () => {
    const ann = await server.newUser();
    const agent = await server.agent();
    await agent.post("/api/agenthub/send", { channel_slug: "general", message: "beep" });
    for (let again = 0; again < 3; again++)
      await ann.post("/api/messages", { channel_id: 1, content: "once", client_msg_id: "same" });
    expect((await honorOf(ann.username)).message_count).toBe(1);
  });
});

describe("a like", () => {
  test("pays the author 2 points once per person and message, even if repeated, and nothing for the author's own", async () => {
    const [ann, bob, cleo] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const message = await sayId(ann, 1);
    const like = `/api/messages/${message}/reactions/like`;
    for (const client of [bob, cleo]) await say(client, 1);
    for (let again = 0; again < 3; again++) {
      await bob.put(like);
      await bob.delete(like);
    }
    await bob.put(`/api/messages/${message}/reactions/heart`);
    await ann.put(like);
    expect(await scores(ann.username)).toEqual({ points: 102, honor_level: 1, total_points: 2 });
    await cleo.put(like);
    expect(await scores(ann.username)).toEqual({ points: 104, honor_level: 2, total_points: 4 });
    expect(await scores(bob.username)).toEqual({ points: 100, honor_level: 0, total_points: 0 });
  });
});

describe("the honor level", () => {
  test("is updated in online lists when it rises, for people there and for newcomers", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const { body } = await ann.post("/api/channels", { name: "Level" });
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await socket.ask("channel:join", { channel_id: body.channel_id });
    const message = await sayId(ann, body.channel_id);
    await bob.put(`/api/messages/${message}/reactions/like`);
    const list = await socket.find(({ event, data }) => event === "user:list" && data.users[0]?.honor_level === 1);
    expect(list.data.users).toEqual([{ kind: "user", name: ann.username, honor_level: 1, since: expect.any(String) }]);
    await using later = await LiveSocket.open(server.url, bob.credential);
    const joined = await later.ask("channel:join", { channel_id: body.channel_id });
    expect(joined.data.users[0]).toMatchObject({ name: ann.username, honor_level: 1 });
  });
});

describe("time online", () => {
  test("is counted while sockets are open, and survives a restart", async () => {
    const dataDir = temporaryFolder();
    let before = 0;
    {
      const clock = clockAhead();
      await using first = await startTestServer({ dataDir }, { clock });
      const ann = await first.user("ann");
      const hours = async () => (await first.guest.get("/api/user/ann/honor")).body.online_hours;
      expect(await hours()).toBe(0);
      await using _1 = await LiveSocket.open(first.url, ann.credential);
      await using _2 = await LiveSocket.open(first.url, ann.credential);
      clock.ahead += 40_000;
      before = await eventually("40 seconds are counted", async () => {
        const found = await hours();
        return found * 3_600 >= 40 ? found : null;
      });
      // Two sockets at once do not count twice.
      expect(before * 3_600).toBeLessThan(80);
    }
    await using second = await startTestServer({ dataDir });
    const { online_hours } = (await second.guest.get("/api/user/ann/honor")).body;
    expect(online_hours).toBeGreaterThanOrEqual(before);
    expect(online_hours).toBeLessThan(80 / 3_600);
  });
});

describe("GET /api/user/:username/points", () => {
  test("returns the changes of the user's points, newest first, in pages", async () => {
    const ann = await server.newUser();
    await invite(ann);
    await invite(ann);
    const path = `/api/user/${ann.username.toUpperCase()}/points`;
    const whole = await ann.get(path);
    expect(whole.status).toBe(200);
    const { entries, ...rest } = whole.body;
    expect(rest).toEqual({
      success: true,
      username: ann.username,
      points: 120,
      available: 120,
      on_hold_until: null,
      has_more: false,
      next_before: null,
      limit: 50,
    });
    expect(entries.map((e: Record<string, unknown>) => [e.kind, e.amount, e.balance])).toEqual([
      ["invite", 10, 120],
      ["invite", 10, 110],
      ["grant", 100, 100],
    ]);
    expect(entries[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const first = (await ann.get(`${path}?limit=2`)).body;
    expect([first.entries, first.has_more, first.limit]).toEqual([entries.slice(0, 2), true, 2]);
    const last = (await ann.get(`${path}?limit=2&before=${first.next_before}`)).body;
    expect([last.entries, last.has_more, last.next_before]).toEqual([entries.slice(2), false, null]);
    expect((await ann.get(`${path}?limit=9999`)).body.limit).toBe(200);
    const end = entries.at(-1).entry_id;
    expect((await ann.get(`${path}?before=${end}`)).body).toMatchObject({ entries: [], has_more: false });
    const bob = await server.newUser();
    const others = (await bob.get(`/api/user/${bob.username}/points`)).body.entries[0].entry_id;
    for (const before of [others, end + 1, 2 ** 50])
      expectError(await ann.get(`${path}?before=${before}`), 400, "invalid_cursor");
  });

  test("is allowed to the user and administrators", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const path = `/api/user/${ann.username}/points`;
    expectError(await server.guest.get(path), 401, "session_required");
    expectError(await (await server.agent()).get(path), 401, "session_required");
    expectError(await bob.get(path), 403, "forbidden");
    expectError(await bob.get("/api/user/nobody/points"), 404, "user_not_found");
    expectError(await ann.get(`${path}?limit=0`), 400, "invalid_limit");
    expectError(await ann.get(`${path}?limit=x`), 400, "invalid_limit");
    for (const before of ["0", "-1", "x", "1.5"])
      expectError(await ann.get(`${path}?before=${before}`), 400, "invalid_cursor");
    await createOwner(server.ctx, "auditor", PASSWORD);
    expect((await (await logIn(server.url, "auditor")).get(path)).body.points).toBe(100);
  });
});

test("the doctor checks the ledger and reports tampering", async () => {
  const dataDir = temporaryFolder();
  await using other = await startTestServer({ dataDir });
  await other.user("ann");
  await other.user("bob");
  const ledger = async (of = "ledger") => {
    const { code, out } = await cliProcess(["doctor", "--json"], { PORT: "0", PARLEY_DATA_DIR: dataDir });
    const found: { check: string; state: string; text: string }[] = JSON.parse(out).findings;
    return { code, ...found.find(({ check }) => check === of) };
  };
  expect(await ledger()).toEqual({ code: 0, check: "ledger", state: "ok", text: "4 entries, and all sums are right" });
  await other.ctx.db.updateTable("ledger_balances").set({ balance: "5000" }).where("account", "=", "user:2").execute();
  expect(await ledger("red packets")).toMatchObject({ state: "ok", text: "none yet" });
  const { code, state, text } = await ledger();
  expect({ code, state }).toEqual({ code: 1, state: "problem" });
  expect(text).toStartWith("user:2 has 5000 points, but its entries sum to 100. Parley never writes such rows");
});
