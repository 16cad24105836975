import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import type { OpenDatabase } from "../../src/db/database.ts";
import type { Route } from "../../src/http/route.ts";
import { createLog } from "../../src/logging/log.ts";
import { allRoutes } from "../../src/modules.ts";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { agedPass } from "../../src/retention/aged.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import {
  type Client,
  eventually,
  logIn,
  PASSWORD,
  startTestServer,
  type TestServer,
} from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** A server with `PARLEY_VALUE=off` on the data of one that had red packets and a channel with a price. */

const TABLES = [
  "packets",
  "packet_claims",
  "chain_receipts",
  "payment_challenges",
  "payments",
  "payment_settlements",
  "paid_resources",
  "removed_paid_resources",
  "payouts",
  "payout_attempts",
  "payout_lease",
  "payout_days",
] as const;
const DAY_MS = 86_400_000;
const ROUTES = allRoutes().filter(({ path }) => /red-packets|paid|payments|payouts|chains|wallets/.test(path));

/** A database that outlives a server. */
const kept = (database: OpenDatabase): OpenDatabase => ({ ...database, [Symbol.asyncDispose]: async () => {} });

/** Returns the path of a route with something in the place of each parameter. */
const pathOf = ({ path }: Route): string => path.replace(/:(\w+)/g, (_, name) => (/_id$/.test(name) ? "1" : "ann"));

/** Names the tables otherwise, so that a statement that uses one fails. */
async function hide({ ctx }: TestServer, isHidden: boolean): Promise<void> {
  for (const table of TABLES) {
    const [from, to] = isHidden ? [table, `hidden_${table}`] : [`hidden_${table}`, table];
    await sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(ctx.db);
  }
}

/** Returns the file of each timer that is started meanwhile, as the stack names it. */
async function timersOf<T>(act: () => Promise<T>): Promise<{ result: T; starters: string[] }> {
  const { setInterval: real } = globalThis;
  const starters: string[] = [];
  const spying = (...given: Parameters<typeof real>) => {
    starters.push(new Error().stack ?? "");
    return real(...given);
  };
  globalThis.setInterval = Object.assign(spying, real) as typeof real;
  try {
    return { result: await act(), starters };
  } finally {
    globalThis.setInterval = real;
  }
}
const OF_VALUE = /src\/(chains|payments|payouts|red-packets)\//;

eachDatabase((_name, open) => {
  const clock = stillClock();
  const lines: string[] = [];
  let database: OpenDatabase;
  let server: TestServer;
  let timersBefore: string[];
  let timers: string[];
  let ann: Client;
  let bob: Client;
  let sold: { id: number; slug: string };
  let packetMessage: number;

  beforeAll(async () => {
    database = await open(clock);
    const before = await timersOf(() => startTestServer({}, { database: kept(database), clock }));
    timersBefore = before.starters;
    {
      await using former = before.result;
      const [own, other] = [await former.user("ann"), await former.user("bob")];
      sold = await newChannel(own, { name: "club" });
      const price = JSON.stringify({ amount: "5", currency: "ETH", chain_id: 1 });
      await former.ctx.db.updateTable("channels").set({ price }).where("id", "=", sold.id).execute();
      clock.advance(2 * DAY_MS);
      const packet = { channel_slug: "general", total_amount: "10", count: 2, greeting: "Good luck" };
      const { packet_id, red_packet } = (await own.post("/api/red-packets", packet)).body;
      packetMessage = red_packet.message_id;
      for (const who of [own, other]) {
        expect((await who.post(`/api/red-packets/${packet_id}/claim`)).status).toBe(200);
      }
    }
    const log = createLog({ level: "warn", readable: true, write: (line) => void lines.push(line) });
    const config = { value: "off", rateLimits: "off", retentionDays: 1 } as const;
    const started = await timersOf(() => startTestServer(config, { database: kept(database), clock, log }));
    timers = started.starters;
    server = started.result;
    ann = await logIn(server.url, "ann");
    bob = await logIn(server.url, "bob");
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  test("no route of chains, wallets, payments, red packets and payouts is there", async () => {
    const ruth = await staff(server, "ruth", 2);
    expect(ROUTES).toHaveLength(18);
    for (const route of ROUTES) {
      const answer = await ruth.send(route.method, pathOf(route), route.method === "GET" ? {} : { body: {} });
      expectError(answer, 404, "not_found");
      const unknown = await ruth.send(route.method, "/api/nothing/here", route.method === "GET" ? {} : { body: {} });
      expect({ ...answer.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
    }
  });

  test("the documents describe none of them", async () => {
    const read = async (path: string) => {
      const { status, body } = await server.guest.get(path);
      expect(status, path).toBe(200);
      return typeof body === "string" ? body : JSON.stringify(body);
    };
    const { paths, tags, components } = JSON.parse(await read("/api/openapi.json"));
    expect(Object.keys(paths).filter((path) => /red-packets|paid|payment|payout|chains|wallet/.test(path))).toEqual([]);
    expect(tags.map(({ name }: { name: string }) => name)).not.toContainAnyValues(["Payments", "Red packets"]);
    expect(Object.keys(components.schemas)).not.toContainAnyValues(["RedPacket", "Payout", "PaidResource", "Chain"]);
    const traces =
      /payment_required|payment_already_used|payment_signature|PAYMENT-SIGNATURE|x402|tx_not_found|refetchToken|open_red_packets|red_packet[.:]|RedPacket/;
    for (const path of ["/api/openapi.json", "/api/asyncapi.json", "/docs", "/docs/events", "/skill.md"])
      expect(traces.exec(await read(path)), path).toBeNull();
    expect(JSON.stringify(paths["/api/channels/{channel_id}/join"])).toContain("payments_not_configured");
    for (const page of ["payments", "red-packets"])
      expectError(await server.guest.get(`/guide/${page}.md`), 404, "not_found");
    for (const path of ["/llms.txt", "/skill.md", "/guide/agents.md"])
      expect(/guide\/(payments|red-packets)/.exec(await read(path)), path).toBeNull();
    expect((await server.guest.get("/api/site")).body.site.value).toBe(false);
  });

  test("agents have no tool of them", async () => {
    const agent = await server.agent("Scout");
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await agent.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { headers });
    const names = [...JSON.stringify(answer.body).matchAll(/"name\\?":\\?"(\w+)/g)].map(([, name]) => name ?? "");
    expect(names).toContain("send_message");
    expect(names.filter((name) => /pay|packet|wallet|chain/.test(name))).toEqual([]);
  });

  test("no timer of them runs", () => {
    // The server before started at least the sweep of red packets.
    expect(timersBefore.filter((stack) => OF_VALUE.test(stack))).not.toEqual([]);
    expect(timers.filter((stack) => OF_VALUE.test(stack))).toEqual([]);
    expect(timers.length).toBeGreaterThan(5);
  });

  test("a channel with a price answers 503 to joining, reading, copying and logging in", async () => {
    const agent = await server.agent();
    const code = "payments_not_configured";
    expectError(await bob.post(`/api/channels/${sold.id}/join`), 503, code);
    const proof = { headers: { "payment-signature": '{"txHash": 1}' } };
    expectError(await bob.post(`/api/channels/${sold.id}/join`, {}, proof), 503, code);
    expectError(await bob.get(`/api/messages?channel_id=${sold.id}`), 503, code);
    expectError(await bob.get(`/api/channels/${sold.id}/export`), 503, code);
    expectError(await agent.post("/api/agenthub/login", { channel_slug: sold.slug, agent_name: "Till" }), 503, code);
    await using socket = await LiveSocket.open(server.url, bob.credential);
    expect(await socket.ask("channel:join", { channel_id: sold.id })).toMatchObject({ event: "error", data: { code } });
    expect((await ann.get(`/api/messages?channel_id=${sold.id}`)).status).toBe(200);
    const price = { amount: "7", currency: "ETH", chain_id: 1 };
    expectError(await ann.put(`/api/channels/${sold.id}`, { price }), 503, code);
    expectError(await ann.post("/api/channels", { name: "dear", price }), 503, code);
  });

  test("a day of ordinary use touches no table of them", async () => {
    await hide(server, true);
    try {
      const [cleo, agent] = [await server.user("cleo"), await server.agent("Rover")];
      const room = await newChannel(cleo, { retention_days: 1 });
      const id = await sayId(cleo, room.id, "Tea, @ann?");
      expect((await ann.post(`/api/channels/${room.id}/join`)).status).toBe(200);
      expect((await ann.put(`/api/messages/${id}/reactions/like`)).status).toBe(200);
      expect((await ann.post(`/api/messages/${id}/pin`)).status).toBe(403);
      expect((await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Rover" })).status).toBe(
        200,
      );
      await eventually("the message is found", async () => {
        return (await ann.get("/api/search/messages?q=tea")).body.messages.length === 1;
      });
      await eventually(
        "ann is notified",
        async () => (await ann.get("/api/notifications")).body.notifications.length > 0,
      );
      expectError(await bob.get(`/api/channels/${room.id}/export`), 403, "forbidden");
      expect((await cleo.get(`/api/channels/${room.id}/export`)).status).toBe(200);
      expect((await bob.get("/api/user/bob")).body.username).toBe("bob");
      // Points and honor stay.
      await eventually("the like pays", async () => (await cleo.get("/api/user/cleo")).body.points === 102);
      const history = (await ann.get("/api/user/ann/points")).body.entries;
      expect(history).toContainEqual(expect.objectContaining({ kind: "packet_fund", amount: -10 }));
      expect((await ann.get("/api/user/ann/honor")).body).toMatchObject({ honor_level: 0 });

      // The message of a packet stays what it was, and what happened to the packet is not told any more.
      const { messages } = (await bob.get("/api/messages?channel_slug=general")).body;
      const shown = messages.find((message: { id: number }) => message.id === packetMessage);
      expect(shown).toMatchObject({ type: "red_packet", content: "Good luck", packet_id: expect.any(Number) });
      await using socket = await LiveSocket.open(server.url, bob.credential);
      const { epoch } = (await socket.next("session:ready")).data;
      const { data } = await socket.ask("channel:join", { channel_slug: "general", after_seq: 0, epoch });
      const events = data.events as { event: string; data: { seq: number } }[];
      expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, at) => at + 1));
      const names = events.map(({ event }) => event);
      // Two claims, and the end of the packet.
      expect(names.filter((name) => name === "event:unreadable")).toHaveLength(3);
      expect(names.filter((name) => name.startsWith("red_packet:"))).toEqual([]);

      clock.advance(3 * DAY_MS);
      const late = await newChannel(cleo);
      await say(cleo, late.id, "later");
      const dry = await cleo.put(`/api/channels/${room.id}?dry_run=true`, { retention_days: 2 });
      expect(dry.body.would_delete).toEqual({ messages: 1, files: 0 });
      // The job of the server may be at work on the same.
      await eventually("the message of the packet is too old", async () => {
        for await (const _ of agedPass(server.ctx));
        const left = (await bob.get("/api/messages?channel_slug=general")).body.messages;
        return left.every(({ id }: { id: number }) => id !== packetMessage);
      });
      expect((await cleo.delete(`/api/channels/${late.id}`)).status).toBe(200);
      // A job that uses one of the tables would have complained.
      expect(lines).toEqual([]);
    } finally {
      await hide(server, false);
    }
  });

  test("copies of data and erasure include what there was, and the ledger adds up", async () => {
    const copy = (await ann.get("/api/user/ann/export")).body;
    expect(copy).toMatchObject({
      red_packets: [{ total_amount: "10", status: "exhausted", greeting: "Good luck" }],
      claims: [{ currency: "points" }],
      payments: [],
      complete: true,
    });
    const userId = (
      await server.ctx.db.selectFrom("users").select("id").where("username", "=", "bob").executeTakeFirstOrThrow()
    ).id;
    const address = `0x${"a".repeat(40)}`;
    await server.ctx.db.updateTable("packet_claims").set({ address }).where("user_id", "=", userId).execute();
    expect((await bob.delete("/api/user/bob", { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    const claims = await server.ctx.db
      .selectFrom("packet_claims")
      .select("address")
      .where("user_id", "=", userId)
      .execute();
    expect(claims).toEqual([{ address: null }]);
    expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
  });
});
