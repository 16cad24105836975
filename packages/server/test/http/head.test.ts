import { expect, test } from "bun:test";
import { flushLastUse } from "../../src/agents/keys/last-use.ts";
import { allRoutes } from "../../src/modules.ts";
import { clockAhead } from "../support/clock.ts";
import { eachDatabase, type OpenFresh } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { type Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const GETS = allRoutes().filter(({ method }) => method === "GET");
const MENTIONS = "/api/agenthub/mentions";

/** A server with an owner, an agent that was mentioned, and enough elapsed time that each use would show. */
async function world(open: OpenFresh) {
  const clock = clockAhead();
  const server = await startTestServer({}, { clock, database: await open() });
  const owner = await staff(server, "rosa", 3);
  const agent = await server.agent("Data");
  await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Data" });
  await owner.post("/api/messages", { channel_slug: "general", content: "@Data hello" });
  await eventually(
    "the mention is there",
    async () => (await agent.get(`${MENTIONS}?mark_read=false`)).body.count === 1,
  );
  await flushLastUse(server.ctx);
  clock.ahead += 10 * 60_000;
  return { server, owner, agent };
}

/** Returns the route's path and query with existing objects. */
function urlOf(path: string): string {
  const url = path
    .replace(":channel_id", "1")
    .replace(":username", "rosa")
    .replace(":packet_id", "1")
    .replace(":sticker_id", "1")
    .replace(":name", "parrot")
    .replace(":resource_slug", "none")
    .replace(/[:*]\w*/, "index");
  return `${url}?channel_slug=general&channel_id=1&usernames=rosa&q=hello&username=rosa`;
}

/** Returns everything that is stored, and everything that is kept in memory for a while. */
async function stored({ ctx }: TestServer) {
  await flushLastUse(ctx);
  // Written after a message, for readiness, and when somebody asks first, whoever asks.
  const own = /^(channel_cursors|agent_activity|message_words|daily_earnings|honor|meta|push_keys)/;
  return (await dump(ctx.db)).filter(({ table }) => !own.test(table));
}

eachDatabase((_name, open) => {
  test("HEAD changes nothing on any route, whoever asks", async () => {
    const { server, owner, agent } = await world(open);
    await using _ = server;
    const before = await stored(server);
    const callers: [string, Client][] = [
      ["a guest", server.guest],
      ["an owner", owner],
      ["an agent", agent],
    ];
    for (const { path } of GETS) {
      for (const [who, caller] of callers) {
        const answer = await caller.send("HEAD", urlOf(path));
        expect(answer.body, `${who}: ${path}`).toBe("");
        expect(answer.status, `${who}: ${path}`).toBeLessThan(500);
      }
    }
    expect(await stored(server)).toEqual(before);
    // The same with GET shows that the comparison detects changes.
    expect((await agent.send("HEAD", MENTIONS)).status).toBe(200);
    expect((await agent.get(MENTIONS)).body).toMatchObject({ count: 1, mark_read: true });
    expect(await stored(server)).not.toEqual(before);
  });
});

test("HEAD issues no verification code and opens no event stream", async () => {
  await using server = await startTestServer();
  const agent = await server.agent();
  const codes = () =>
    server.ctx.db
      .selectFrom("verification_codes")
      .select((eb) => eb.fn.countAll<number>().as("given"))
      .where("issued_at", "is not", null)
      .executeTakeFirstOrThrow();
  const code = await server.guest.send("HEAD", "/api/agenthub/agent-api-key/verification-code");
  expect([code.status, code.headers.get("set-cookie")]).toEqual([200, null]);
  expect(Number((await codes()).given)).toBe(0);
  for (let i = 0; i < 40; i++) {
    const answer = await agent.send("HEAD", "/api/agenthub/events");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  }
  const controller = new AbortController();
  const { signal } = controller;
  const stream = await fetch(`${server.url}/api/agenthub/events`, { headers: agent.credential, signal });
  expect(stream.status).toBe(200);
  controller.abort();
});
