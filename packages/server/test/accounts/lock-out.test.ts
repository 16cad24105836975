import { expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { eachDatabase, type OpenFresh, openFreshSqlite } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import {
  type Answered,
  Client,
  cookieOf,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";

/** An attack: five wrong passwords from a stranger locked out the owner with the right one (protocol §1). */
const HOME = "198.51.100.7";
const STRANGER = "203.0.113.9";

/** A server behind a local proxy, so that a test can send from any network. */
async function start(open: OpenFresh = openFreshSqlite) {
  const clock = stillClock();
  const database = await open(clock);
  const server = await startTestServer({ trustedProxies: ["127.0.0.1", "::1"] }, { clock, database });
  return { server, clock };
}

interface Place {
  from: string;
  cookie?: string | undefined;
}

const logIn = ({ guest }: TestServer, place: Place, username: string, password = PASSWORD): Promise<Answered> =>
  guest.post("/api/auth/login", { username, password }, { headers: headersOf(place) });

const headersOf = ({ from, cookie }: Place): Record<string, string> => ({
  "x-forwarded-for": from,
  ...(cookie === undefined ? {} : { cookie }),
});

const deviceOf = (answer: Answered): string =>
  answer.headers
    .getSetCookie()
    .find((cookie) => cookie.includes("parley_device="))
    ?.split(";", 1)[0] ?? "";

async function guessWrong(server: TestServer, place: Place, username: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    expectError(await logIn(server, place, username, `wrong ${i}`), 401, "invalid_credentials");
  }
}

test("a stranger's wrong passwords lock out the stranger, but not the owner in another network", async () => {
  const { server } = await start();
  await using _ = server;
  await server.user("ann");
  await guessWrong(server, { from: STRANGER }, "ann", 5);
  const refused = await logIn(server, { from: STRANGER }, "ann");
  expectError(refused, 429, "rate_limited");
  expect(refused.headers.get("retry-after")).toBe("5");
  expect((await logIn(server, { from: HOME }, "ann")).status).toBe(200);
  expect((await logIn(server, { from: "2001:db8:1::7" }, "ann")).status).toBe(200);
  // A subscriber owns a whole /64.
  await guessWrong(server, { from: "2001:db8:2::1" }, "ann", 5);
  expectError(await logIn(server, { from: "2001:db8:2::2" }, "ann"), 429, "rate_limited");
});

/** The known browsers are stored in the database. */
eachDatabase((_, open) => {
  test("a browser that has logged in before can log in from the network of somebody who guesses", async () => {
    const { server, clock } = await start(open);
    await using _ = server;
    await server.user("ann");
    const device = deviceOf(await logIn(server, { from: HOME }, "ann"));
    expect(device).toMatch(/^parley_device=[A-Za-z0-9_-]{43}$/);
    await guessWrong(server, { from: HOME }, "ann", 5);
    expectError(await logIn(server, { from: HOME }, "ann"), 429, "rate_limited");
    const again = await logIn(server, { from: HOME, cookie: device }, "ann");
    expect([again.status, deviceOf(again)]).toEqual([200, device]);

    // Its own wrong passwords are counted, too.
    await guessWrong(server, { from: HOME, cookie: device }, "ann", 5);
    expectError(await logIn(server, { from: HOME, cookie: device }, "ann"), 429, "rate_limited");
    // Somebody who has stolen the cookie uses up its counter, and does not lock out the owner.
    expect((await logIn(server, { from: "198.51.100.8", cookie: device }, "ann")).status).toBe(200);
    clock.advance(60_000);
    expect((await logIn(server, { from: HOME, cookie: device }, "ann")).status).toBe(200);
  });

  test("a browser's cookie helps no other account, and an invented one helps nobody", async () => {
    const { server } = await start(open);
    await using _ = server;
    await server.user("ann");
    await server.user("eve");
    const device = deviceOf(await logIn(server, { from: STRANGER }, "eve"));
    await guessWrong(server, { from: STRANGER, cookie: device }, "ann", 5);
    for (const cookie of [device, `parley_device=${"x".repeat(43)}`, "parley_device=%", undefined]) {
      expectError(await logIn(server, { from: STRANGER, cookie }, "ann"), 429, "rate_limited");
    }
    expect((await logIn(server, { from: STRANGER, cookie: device }, "eve")).status).toBe(200);
  });

  test("a browser's cookie stays valid after a new password, and only its hash is stored", async () => {
    const { server } = await start(open);
    await using _ = server;
    await server.user("ann");
    const answer = await logIn(server, { from: HOME }, "ann");
    const device = deviceOf(answer);
    const set = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(device));
    expect(set).toMatch(/; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
    const ann = new Client(server.url, { cookie: cookieOf(answer) });
    expect((await ann.put("/api/user/ann", { password: "another good one" })).status).toBe(200);
    await guessWrong(server, { from: HOME }, "ann", 5);
    expect((await logIn(server, { from: HOME, cookie: device }, "ann", "another good one")).status).toBe(200);
    const rows = JSON.stringify(await server.ctx.db.selectFrom("login_devices").selectAll().execute());
    expect(rows).not.toContain(device.split("=")[1] ?? "");
  });

  test("an account has at most twenty known browsers, and the least recently used is dropped first", async () => {
    const { server, clock } = await start(open);
    await using _ = server;
    await server.user("ann"); // knows the browser that registered
    const devices: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      clock.advance(1_000);
      devices.push(deviceOf(await logIn(server, { from: HOME }, "ann")));
    }
    clock.advance(1_000);
    const [first, second] = devices;
    await logIn(server, { from: HOME, cookie: first }, "ann"); // used again, so the second is the oldest
    clock.advance(1_000);
    await logIn(server, { from: HOME }, "ann");
    const count = await server.ctx.db.selectFrom("login_devices").select("id").execute();
    expect(count).toHaveLength(20);
    await guessWrong(server, { from: HOME }, "ann", 5);
    expect((await logIn(server, { from: HOME, cookie: first }, "ann")).status).toBe(200);
    await guessWrong(server, { from: HOME }, "ann", 5);
    expectError(await logIn(server, { from: HOME, cookie: second }, "ann"), 429, "rate_limited");
  });
});

test("a network that tries a few passwords of many accounts must wait, but its known browsers need not", async () => {
  const clock = stillClock();
  const trustedProxies = ["127.0.0.1", "::1"];
  await using server = await startTestServer({ trustedProxies, rateFactor: 1, rateLimits: "off" }, { clock });
  await server.user("ann");
  const device = deviceOf(await logIn(server, { from: HOME }, "ann"));
  for (let i = 0; i < 25; i += 1) await guessWrong(server, { from: HOME }, `name${i}`, 4);
  const refused = await logIn(server, { from: HOME }, "ann");
  expectError(refused, 429, "rate_limited");
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expect((await logIn(server, { from: HOME, cookie: device }, "ann")).status).toBe(200);
  expect((await logIn(server, { from: STRANGER }, "ann")).status).toBe(200);
  // A login to the attacker's own account does not clear what its network has tried.
  expectError(await logIn(server, { from: HOME }, "ann"), 429, "rate_limited");
});

test("logins on a socket count like those over HTTP, and know the browser by the cookie of the handshake", async () => {
  const { server } = await start();
  await using _ = server;
  await server.user("ann");
  const device = deviceOf(await logIn(server, { from: HOME }, "ann"));
  await guessWrong(server, { from: STRANGER }, "ann", 5);
  const data = { username: "ann", password: PASSWORD };
  await using stranger = await LiveSocket.open(server.url, headersOf({ from: STRANGER }));
  await using known = await LiveSocket.open(server.url, headersOf({ from: STRANGER, cookie: device }));
  expect((await stranger.ask("auth:login", data)).data).toMatchObject({ code: "rate_limited" });
  expect((await known.ask("auth:login", data)).data).toMatchObject({ success: true });
});

test("strangers' guesses do not affect a session, whose own wrong passwords are limited to five a minute", async () => {
  const { server, clock } = await start();
  await using _ = server;
  const ann = await server.user("ann");
  const other = new Client(server.url, { cookie: cookieOf(await logIn(server, { from: HOME }, "ann")) });
  await guessWrong(server, { from: "127.0.0.1" }, "ann", 5);
  expectError(await logIn(server, { from: "127.0.0.1" }, "ann"), 429, "rate_limited");
  clock.advance(10 * 60_000 + 1);
  const change = (client: Client, current_password: string) =>
    client.put("/api/user/ann", { evm_address: null, current_password });
  expect((await change(ann, PASSWORD)).status).toBe(200);

  for (let i = 0; i < 5; i += 1) expectError(await change(ann, `wrong ${i}`), 403, "reauth_required");
  const refused = await change(ann, PASSWORD);
  expectError(refused, 429, "rate_limited");
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  expectError(await ann.delete("/api/user/ann", { body: { password: PASSWORD } }), 429, "rate_limited");
  expect((await change(other, PASSWORD)).status).toBe(200);
  expect((await logIn(server, { from: STRANGER }, "ann")).status).toBe(200);
  clock.advance(60_000);
  expect((await change(ann, PASSWORD)).status).toBe(200);
});
