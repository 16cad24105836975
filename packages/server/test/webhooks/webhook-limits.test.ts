import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { RATES } from "@parley/protocol/limits";
import { endKey } from "../../src/agents/keys/keys.store.ts";
import { webhookSender } from "../../src/webhooks/start.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const DAY_MS = 24 * 3_600_000;

/** What bounds webhooks, and what ends them (protocol §12.5). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  let receiver: WebhookReceiver;
  let count = 0;
  const server = await forAllTests(
    startTestServer({ egressAllow: ["127.0.0.0/8"], agentLoopLimit: 0 }, { database: await open(), clock }),
  );
  const ruth: Client = await staff(server, "ruth", 2);
  beforeEach(() => {
    receiver = new WebhookReceiver();
  });
  afterEach(() => receiver[Symbol.dispose]());

  const sender = () => webhookSender(server.ctx);
  const room = async (): Promise<number> =>
    (await ruth.post("/api/channels", { name: `Room ${++count}` })).body.channel_id;
  async function hookOf(owner: { channel_id: number } | { agent_id: number }, events: string[], who = ruth) {
    const answer = await who.post("/api/webhooks", { url: receiver.url, events, ...owner });
    expect(answer.status).toBe(201);
    return answer.body.webhook.webhook_id as number;
  }
  const arrived = (wanted: number) => eventually(`${wanted} arrive`, () => receiver.received.length >= wanted);
  const record = async (id: number) => (await ruth.get(`/api/webhooks/${id}`)).body.webhook;
  const deliveries = async (id: number, who = ruth) =>
    (await who.get(`/api/webhooks/${id}/deliveries`)).body.deliveries;
  const concluded = (id: number) =>
    eventually("a try is concluded", async () => (await deliveries(id))[0]?.tries === 1 || null);
  async function agentOf(owner = "ruth") {
    const name = `Helper ${++count}`;
    const made = (await ruth.post("/api/agents", { agent_name: name, owner_username: owner })).body;
    const client = new Client(server.url, { authorization: `Bearer ${made.api_key}` });
    return { client, name, agent_id: made.agent_id as number, key_id: made.key_id as string };
  }
  async function repliesOf(channel_id: number, name: string): Promise<string[]> {
    const { messages } = (await ruth.get(`/api/messages?channel_id=${channel_id}`)).body;
    return messages.flatMap((said: { agent_name: string | null; content: string }) =>
      said.agent_name === name ? [said.content] : [],
    );
  }

  test("an event of more than 64 KiB is sent with its ids only", async () => {
    const channel_id = await room();
    const id = await hookOf({ channel_id }, ["message.new"]);
    await ruth.put(`/api/webhooks/${id}`, { status: "disabled" });
    const { message_id, seq } = await say(ruth, channel_id, "long");
    await server.ctx.db
      .updateTable("messages")
      .set({ content: "x".repeat(70_000) })
      .where("id", "=", message_id)
      .execute();
    await ruth.put(`/api/webhooks/${id}`, { status: "active" });
    await arrived(1);
    const [{ text, body } = { text: "", body: null }] = receiver.received;
    expect(body?.data).toEqual({ channel_id, seq, epoch: server.ctx.epoch, message_id, truncated: true } as never);
    expect(text.length).toBeLessThan(500);
  });

  test("a hook with a full backlog keeps its place, and loses nothing", async () => {
    sender().backlogMax = 2;
    const channel_id = await room();
    const id = await hookOf({ channel_id }, ["message.new"]);
    let isDown = true;
    receiver.answer = () => new Response(null, { status: isDown ? 500 : 204 });
    for (const text of ["one", "two", "three", "four"]) await say(ruth, channel_id, text);
    await arrived(2);
    await eventually("both wait again", async () =>
      (await deliveries(id)).every(({ tries }: { tries: number }) => tries === 1),
    );
    await sender().pass();
    expect(await deliveries(id)).toHaveLength(2);
    expect((await record(id)).backlog).toBe(4);
    isDown = false;
    clock.ahead += 7_000;
    const all = await eventually("all are delivered", async () => {
      // A hook with a full backlog is looked at again after 5 s.
      clock.ahead += 1_000;
      const rows = await deliveries(id);
      return rows.length === 4 && rows.every(({ status }: { status: string }) => status === "delivered") ? rows : null;
    });
    const seqs = all.map(({ seq }: { seq: number }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => b - a));
    sender().backlogMax = 10_000;
  });

  test("delivered rows go after 7 days, dead ones after 30", async () => {
    const channel_id = await room();
    const id = await hookOf({ channel_id }, ["message.new"]);
    receiver.answer = ({ text }) => new Response(null, { status: text.includes("bad") ? 410 : 204 });
    await say(ruth, channel_id, "good");
    await arrived(1);
    await say(ruth, channel_id, "bad");
    await eventually("it is disabled", async () => (await record(id)).disabled_reason === "gone");
    const after = async (days: number): Promise<string[]> => {
      clock.ahead += days * DAY_MS;
      await sender().sweep();
      const rows = server.ctx.db.selectFrom("webhook_deliveries").select("status").where("webhook_id", "=", id);
      return (await rows.orderBy("id").execute()).map(({ status }) => status);
    };
    expect(await after(6.9)).toEqual(["delivered", "dead"]);
    expect(await after(0.2)).toEqual(["dead"]);
    expect(await after(22.8)).toEqual(["dead"]);
    expect(await after(0.2)).toEqual([]);
    clock.ahead -= 30.1 * DAY_MS;
  });

  test("slow servers of one host do not keep other hooks of the same person waiting", async () => {
    const channel_id = await room();
    using slow = new WebhookReceiver("127.0.0.2");
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    slow.answer = async () => {
      await asked;
      return new Response("ok");
    };
    for (let nth = 0; nth < 4; nth++) {
      const body = { url: slow.url, events: ["message.new"], channel_id };
      expect((await ruth.post("/api/webhooks", body)).status).toBe(201);
    }
    await say(ruth, channel_id, "x");
    await eventually("the slow ones are asked", () => slow.received.length === 2);
    await hookOf({ channel_id }, ["message.new"]);
    await say(ruth, channel_id, "y");
    await arrived(1);
    expect(slow.received).toHaveLength(2);
    answer();
    await eventually("the slow ones have it", () => slow.received.length === 8);
  });

  test("a hook that cannot be read does not stop those of others", async () => {
    const channel_id = await room();
    const broken = await hookOf({ channel_id }, ["message.new"]);
    await hookOf({ channel_id }, ["message.new"]);
    await server.ctx.db.updateTable("webhooks").set({ events: "{" }).where("id", "=", broken).execute();
    await say(ruth, channel_id, "x");
    await arrived(1);
    await server.ctx.db.deleteFrom("webhooks").where("id", "=", broken).execute();
  });

  test("a hook that an agent's key made ends with the key, and its owner is told", async () => {
    const { client, name, agent_id, key_id } = await agentOf();
    const id = await hookOf({ agent_id }, ["inbox.new"], client);
    await endKey(server.ctx.db, key_id, clock.now());
    await say(ruth, await room(), `@${name} what is the password?`);
    await eventually("it is disabled", async () => (await record(id)).disabled_reason === "maker_lost_rights");
    expect(receiver.received).toEqual([]);
    const { notices } = (await ruth.get("/api/security-notices")).body;
    expect(notices[0]).toMatchObject({ kind: "webhook_disabled", details: { webhook_id: id } });
    // The owner takes it over.
    await ruth.put(`/api/webhooks/${id}`, { status: "active" });
    await arrived(1);
  });

  test("an agent's hook waits while its owner is suspended", async () => {
    await server.user("olaf");
    const { client, name, agent_id } = await agentOf("olaf");
    const id = await hookOf({ agent_id }, ["inbox.new"], client);
    const suspend = (until: number | null) =>
      server.ctx.db.updateTable("users").set({ suspended_until: until }).where("username_key", "=", "olaf").execute();
    await suspend(clock.now() + DAY_MS);
    await say(ruth, await room(), `@${name} hi`);
    await sender().pass();
    await sender().settled();
    expect(receiver.received).toEqual([]);
    await suspend(null);
    await arrived(1);
    expect(await deliveries(id, client)).toHaveLength(1);
  });

  test("budgets and pauses have events, and bind replies", async () => {
    const { client, name, agent_id } = await agentOf();
    const id = await hookOf({ agent_id }, ["inbox.new", "budget.exhausted", "agent.paused"]);
    await ruth.put(`/api/agents/${agent_id}/budgets`, { messages_per_day: 1 });
    const channel_id = await room();
    receiver.answer = ({ body }) => (body.type === "inbox.new" ? Response.json({ reply: "first" }) : new Response());
    await say(ruth, channel_id, `@${name} one`);
    await eventually("budget.exhausted arrives", () => receiver.types.includes("budget.exhausted"));
    const told = receiver.received.find(({ body }) => body.type === "budget.exhausted");
    expect(told?.body.data).toMatchObject({ item: { notice: { type: "budget_exhausted" } } } as never);
    await say(ruth, channel_id, `@${name} two`);
    const refused = await eventually("the second reply is refused", async () =>
      (await deliveries(id)).find(({ result }: { result: string }) => result === "reply_refused"),
    );
    expect(refused).toMatchObject({ status: "delivered", response_body: "budget_exhausted" });
    expect(await repliesOf(channel_id, name)).toEqual(["first"]);
    expect((await client.get("/api/agenthub/inbox?kinds=mention")).body.count).toBe(1);
    await ruth.put(`/api/agents/${agent_id}`, { paused: true });
    await eventually("agent.paused arrives", () => receiver.types.includes("agent.paused"));
  });

  test("a reply takes from the agent's rate, and is not sent for a hook that is gone", async () => {
    const { name, agent_id } = await agentOf();
    const id = await hookOf({ agent_id }, ["inbox.new"]);
    const channel_id = await room();
    const { limiter } = server.ctx;
    const take = limiter.take.bind(limiter);
    const none = { policy: RATES.agentSend, allowed: false, remaining: 0, reset: 1, retryAfter: 1 };
    const spy = spyOn(limiter, "take").mockImplementation((policy, subject) =>
      policy === RATES.agentSend && subject === `a${agent_id}` ? none : take(policy, subject),
    );
    receiver.answer = () => Response.json({ reply: "too much" });
    await say(ruth, channel_id, `@${name} hi`);
    await concluded(id);
    expect((await deliveries(id))[0]).toMatchObject({
      status: "waiting",
      result: "reply_failed",
      response_body: "rate_limited",
    });
    spy.mockRestore();
    const next = await agentOf();
    const gone = await hookOf({ agent_id: next.agent_id }, ["inbox.new"]);
    receiver.answer = async () => {
      await ruth.delete(`/api/webhooks/${gone}`);
      return Response.json({ reply: "from the grave" });
    };
    await say(ruth, channel_id, `@${next.name} hi`);
    await arrived(2);
    await sender().settled();
    expect([await repliesOf(channel_id, name), await repliesOf(channel_id, next.name)]).toEqual([[], []]);
  });

  test("an address that is changed later is checked like a new one", async () => {
    const channel_id = await room();
    const id = await hookOf({ channel_id }, ["message.new"]);
    for (const url of ["https://[::ffff:127.0.0.1]:8443/", "https://0x0a000001/", "https://[64:ff9b::a00:1]/"])
      expect((await ruth.put(`/api/webhooks/${id}`, { url })).body.code).toBe(
        url.includes("127") ? undefined : "invalid_url",
      );
    const refused = await ruth.put(`/api/webhooks/${id}`, { url: "https://169.254.169.254/latest" });
    expect(refused.body.code).toBe("invalid_url");
    await server.ctx.db.updateTable("webhooks").set({ url: "https://10.0.0.1/" }).where("id", "=", id).execute();
    await ruth.post(`/api/webhooks/${id}/test`);
    await concluded(id);
    expect((await deliveries(id))[0]).toMatchObject({ result: "blocked_address", response_body: null });
  });
});
