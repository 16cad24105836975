import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import { createLog } from "../../src/logging/log.ts";
import { CLAIM, claimCookieOf } from "../support/browser/claim-walk.ts";
import { configOf } from "../support/local-posts.ts";
import { TestSocket } from "../support/servers/socket.ts";
import {
  type Answered,
  Client,
  cookieOf,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";

/** No chosen or issued secret appears in a log, an error or a metric (protocol §0), at the most detailed level. */
const lines: string[] = [];
const refusals: Answered[] = [];
const secrets: Record<string, string> = {
  "a password": PASSWORD,
  "a wrong password": "Tr0ub4dor&3-wrong",
  "a new password": "staple-battery-9000",
  "a channel's password": "open sesame 7",
  "a wrong channel password": "open barley 8",
  "a forged token": "c2Vzc2lvbi10b2tlbi10aGF0LWlzLW5vdA",
};
const of = (name: string): string => secrets[name] ?? "";

const posts = new FakeNetworks();
let server: TestServer;
let metrics: string;

async function refused(answer: Promise<Answered>, status: number): Promise<void> {
  const found = await answer;
  expect([found.status, found.body.code]).toEqual([status, expect.any(String)]);
  refusals.push(found);
}

beforeAll(async () => {
  const log = createLog({ level: "trace", readable: false, write: (line) => lines.push(line) });
  server = await startTestServer(configOf(posts), { log });
  const { guest, ctx, url } = server;
  const registered = await guest.post("/api/auth/register", { username: "ann", password: PASSWORD });
  const ann = new Client(url, { cookie: cookieOf(registered) });
  secrets["a session's token"] = ann.credential.cookie?.split("=")[1] ?? "";
  await refused(guest.post("/api/auth/login", { username: "ann", password: of("a wrong password") }), 401);
  await refused(guest.post("/api/auth/register", { username: "ann", password: of("a new password") }), 409);
  await refused(
    guest.send("POST", "/api/auth/login", {
      raw: `{"password":"${PASSWORD}"`,
      headers: { "content-type": "application/json" },
    }),
    400,
  );
  await refused(new Client(url, { cookie: `parley_session=${of("a forged token")}` }).get("/api/auth/sessions"), 401);

  const agent = await server.agent("helper");
  secrets["an API key"] = agent.apiKey;
  const made = await ann.post("/api/agents/setup-codes", { agent_name: "set up" });
  secrets["a setup code"] = made.body.code;
  secrets["a setup code without hyphens"] = made.body.code.replaceAll("-", "");
  await guest.post("/api/agenthub/setup/look", { code: made.body.code });
  const claimed = await guest.post("/api/agenthub/setup", { code: made.body.code });
  secrets["the API key of a setup code"] = claimed.body.api_key;
  await refused(guest.post("/api/agenthub/setup", { code: made.body.code }), 410);
  secrets["an API key's secret"] = agent.apiKey.split("_").at(-1) ?? "";
  await refused(new Client(url, { authorization: `Bearer ${agent.apiKey}x` }).get("/api/agenthub/mentions"), 401);
  await refused(new Client(url, { authorization: `Basic ${of("a forged token")}` }).get("/api/agenthub/mentions"), 401);

  const room = { name: "Room", channel_slug: "room", is_private: true, password: of("a channel's password") };
  expect((await ann.post("/api/channels", room)).status).toBe(201);
  const wrong = { channel_slug: "room", agent_name: "helper", password: of("a wrong channel password") };
  await refused(agent.post("/api/agenthub/login", wrong), 403);
  expect((await agent.post("/api/agenthub/login", { ...wrong, password: room.password })).status).toBe(200);
  expect(
    (await agent.post("/api/agenthub/send", { channel_slug: "room", agent_name: "helper", message: "hello" })).status,
  ).toBe(201);

  using socket = await TestSocket.open(url);
  await socket.command("auth:login", { username: "ann", password: of("a wrong password") });
  await socket.command("auth:login", { username: "ann", password: PASSWORD });
  await socket.command("channel:join", { channel_slug: "room", password: of("a wrong channel password") });
  await socket.command("message:send", { channel_slug: "room", content: "hello" });

  using late = await TestSocket.open(url);
  const change = { password: of("a new password"), current_password: PASSWORD };
  expect((await ann.put("/api/user/ann", change)).status).toBe(200);

  await claimWalk();

  // Bugs are logged with all that is known about them; these stand for any.
  await sql`alter table sessions rename to sessions_gone`.execute(ctx.db);
  await refused(guest.post("/api/auth/login", { username: "ann", password: of("a new password") }), 500);
  await sql`alter table users rename to users_gone`.execute(ctx.db);
  await refused(guest.post("/api/auth/register", { username: "bob", password: of("a new password") }), 500);
  await refused(guest.post("/api/auth/login", { username: "ann", password: of("a new password") }), 500);
  await late.command("auth:login", { username: "ann", password: of("a new password") });
  metrics = await ctx.metrics.render();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  posts[Symbol.dispose]();
});

/** A key is claimed, rotated, lost and recovered; a network fails in between, and so does the database. */
async function claimWalk(): Promise<void> {
  const { guest, ctx, url } = server;
  const show = async (path: string, secret: string, query = "") => {
    const drawn = await guest.get(`${CLAIM}/verification-code${query}`);
    const cookie = claimCookieOf(drawn);
    secrets[`the claim's cookie of ${secret}`] = cookie.split("=")[1] ?? "";
    const body = { tweet_url: "", verification_code: drawn.body.verification_code };
    body.tweet_url = posts.write({ network: "x", handle: "ann", text: drawn.body.post_template });
    const send = () => guest.post(`${CLAIM}/${path}`, body, { headers: { cookie } });
    posts.failing = 400;
    await refused(send(), 502);
    posts.failing = null;
    await sql`alter table social_claims rename to social_claims_gone`.execute(ctx.db);
    await refused(send(), 500);
    await sql`alter table social_claims_gone rename to social_claims`.execute(ctx.db);
    const answer = await send();
    expect(answer.status).toBe(201);
    return keep(secret, answer);
  };
  const keep = (secret: string, { body }: Answered): Client => {
    secrets[secret] = body.api_key;
    secrets[`the secret of ${secret}`] = body.api_key.split("_").at(-1);
    return new Client(url, { authorization: `Bearer ${body.api_key}` });
  };
  const claimed = await show("verify-tweet", "a claimed key");
  const rotation = await claimed.post(`${CLAIM}/rotate`);
  const rotated = keep("a rotated key", rotation);
  await refused(claimed.get("/api/agenthub/mentions"), 401);
  await show("recover", "a recovered key", `?purpose=recover&agent_id=${rotation.body.agent_id}`);
  await refused(rotated.get("/api/agenthub/mentions"), 401);
}

test("the log contains the failures", () => {
  expect(lines.filter((line) => line.includes("unexpected error")).length).toBeGreaterThanOrEqual(4);
  expect(Object.values(secrets).every((secret) => secret.length > 10)).toBe(true);
});

test("the log contains no secret", () => {
  const found = Object.entries(secrets).flatMap(([name, secret]) =>
    lines.filter((line) => line.includes(secret)).map((line) => `${name}: ${line}`),
  );
  expect(found).toEqual([]);
});

test("no error or metric contains a secret", () => {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const { body, headers } of refusals)
      expect([name, JSON.stringify([body, [...headers]]).includes(secret)]).toEqual([name, false]);
    expect([name, metrics.includes(secret)]).toEqual([name, false]);
  }
});
