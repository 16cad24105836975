import { expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { reservePayment, settlePayment } from "../../src/budgets/payments.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

const DAY_MS = 24 * 3_600_000;
const USDC = { chain_id: 8453, currency: "USDC" };

/** Protocol §12.8 over real HTTP: spending that cannot run away. */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(
    startTestServer({ rateLimits: "off", agentLoopLimit: 0 }, { database: await open(), clock }),
  );
  const ann = await server.user("ann");
  const ruth = await staff(server, "ruth", 1);
  const channel = await newChannel(ann);

  let made = 0;
  /** Returns an agent of Ann with these budgets. */
  async function spender(budgets: object) {
    const name = `Spender ${++made}`;
    const { api_key, agent_id } = await issueKey(server.ctx, { agentName: name, ownerUsername: "ann" });
    const client = new Client(server.url, { authorization: `Bearer ${api_key}` });
    const path = `/api/agents/${agent_id}/budgets`;
    if (Object.keys(budgets).length > 0) expect((await ann.put(path, budgets)).status).toBe(200);
    const send = (message: string, more: object = {}) =>
      client.post("/api/agenthub/send", { channel_slug: channel.slug, agent_name: name, message, ...more });
    const states = async () => (await ann.get(path)).body.budgets;
    return { client, agentId: agent_id, apiKey: api_key, name, path, send, states };
  }

  test("of 200 sends at once with 10 left exactly 10 are sent, and repetitions count once", async () => {
    const agent = await spender({ messages_per_day: 12 });
    await agent.send("one", { client_msg_id: "m1" });
    await agent.send("two");
    for (let i = 0; i < 3; i++) expect((await agent.send("one", { client_msg_id: "m1" })).body.deduplicated).toBeTrue();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => agent.send(`at once ${i}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body).toMatchObject({
      code: "budget_exhausted",
      retryable: false,
      details: { budget: "messages_per_day", limit: 12, used: 12, resets_at: expect.any(String) },
    });
    expect(await agent.states()).toEqual([{ budget: "messages_per_day", limit: 12, used: 12, remaining: 0 }]);
    // A repetition is answered, and reading works.
    expect((await agent.send("one", { client_msg_id: "m1" })).body.deduplicated).toBeTrue();
    expect((await agent.client.get(`/api/agenthub/messages?channel_slug=${channel.slug}`)).status).toBe(200);
    // Other doors refuse it, too.
    await using socket = await LiveSocket.open(server.url, agent.client.credential);
    const told = await socket.ask("message:send", { channel_slug: channel.slug, content: "by socket" });
    expect(told.data.code).toBe("budget_exhausted");
    await using mcp = await currentClient(server.url, agent.apiKey, "auto");
    const called = await mcp.call("send_message", { channel: channel.slug, message: "by MCP" });
    expect([called.isError, called.body.code]).toEqual([true, "budget_exhausted"]);
  });

  test("the owner and the agent get one notice at 80 and one at 100 percent", async () => {
    const agent = await spender({ messages_per_day: 6 });
    for (let i = 0; i < 6; i++) await agent.send(`message ${i}`);
    await agent.send("too much");
    const inbox = (await agent.client.get("/api/agenthub/inbox?kinds=notice")).body;
    expect(inbox.items.map(({ notice }: { notice: { type: string } }) => notice.type)).toEqual([
      "budget_low",
      "budget_exhausted",
    ]);
    const notices = (await ann.get("/api/notifications")).body.notifications;
    const codes = notices.map(({ notice }: { notice?: { code: string; subject: string } }) => notice);
    expect(codes.filter((notice: { subject?: string } | undefined) => notice?.subject === agent.name)).toMatchObject([
      { code: "agent_budget_exhausted", detail: "messages_per_day" },
      { code: "agent_budget_low", detail: "messages_per_day" },
    ]);
  });

  test("an agent gets a notice for each of two budgets that one message uses up", async () => {
    const agent = await spender({ messages_per_day: 1, characters_per_day: 5 });
    await agent.send("first");
    const { items } = (await agent.client.get("/api/agenthub/inbox?kinds=notice")).body;
    const told = items.map(({ notice }: { notice: { type: string; details: { budget: string } } }) => [
      notice.type,
      notice.details.budget,
    ]);
    expect(told.toSorted()).toEqual([
      ["budget_exhausted", "characters_per_day"],
      ["budget_exhausted", "messages_per_day"],
    ]);
  });

  test("refused sends count nothing, characters count by code points, and a new day resets them", async () => {
    const agent = await spender({ characters_per_day: 10, messages_per_day: 100, period_zone: "Asia/Kolkata" });
    expectError(await agent.send("far too long"), 403, "budget_exhausted");
    expectError(await agent.send("x", { reply_to_id: 999_999 }), 404, "message_not_found");
    expectError(await agent.send("x", { expected_last_seq: 0 }), 409, "context_stale");
    expect((await agent.send("🙂🙂🙂🙂🙂")).status).toBe(201);
    expect(await agent.states()).toMatchObject([
      { budget: "messages_per_day", used: 1 },
      { budget: "characters_per_day", used: 5, remaining: 5 },
    ]);
    const { resets_at } = (await ann.get(agent.path)).body;
    expect(new Date(resets_at).toISOString()).toEndWith("18:30:00.000Z");
    clock.ahead += Date.parse(resets_at) - clock.now() - 1_000;
    expectError(await agent.send("123456"), 403, "budget_exhausted");
    clock.ahead += 1_000;
    expect((await agent.send("123456")).status).toBe(201);
  });

  test("a reported cost counts, and nothing is sent once it is used up", async () => {
    const agent = await spender({ cost_per_day: { currency: "USD", amount: "1.50" } });
    const usage = (amount: string) => ({
      usage: { model: "m-1", input_tokens: 1_000, output_tokens: 20, cost: { currency: "USD", amount } },
    });
    expect((await agent.send("one", usage("0.000000001"))).status).toBe(201);
    expect((await agent.send("two", usage("1.75"))).status).toBe(201);
    expectError(await agent.send("three"), 403, "budget_exhausted");
    const page = await ann.get(`/api/agents/${agent.agentId}/usage`);
    expect(page.body.usage).toMatchObject([
      { messages: 2, input_tokens: 2_000, costs: [{ currency: "USD", amount: "1.750000001" }], models: ["m-1"] },
    ]);
    const by = (await ann.get(`/api/agents/${agent.agentId}/usage?by=channel`)).body;
    expect(by.usage).toMatchObject([{ channel_slug: channel.slug, messages: 2 }]);
    const free = await spender({});
    expect((await free.send("reported", usage("9.99"))).status).toBe(201);
    expect((await ann.get(`/api/agents/${free.agentId}/usage`)).body.usage).toMatchObject([{ messages: 1 }]);
  });

  test("reports of ever new models and currencies take a bounded number of rows, and each message counts", async () => {
    const agent = await spender({});
    const report = (i: number) => ({
      usage: {
        ...{ model: `m-${i}`, input_tokens: 1, output_tokens: 1 },
        cost: { currency: `AA${String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26))}`, amount: "1" },
      },
    });
    await Promise.all(Array.from({ length: 60 }, (_, i) => agent.send(`report ${i}`, report(i))));
    const [{ messages, input_tokens, costs }] = (await ann.get(`/api/agents/${agent.agentId}/usage?by=channel`)).body
      .usage;
    expect([messages, input_tokens, costs.length]).toEqual([60, 60, 50]);
  });

  test("the characters of an edit count, and an exhausted budget begins no stream", async () => {
    const agent = await spender({ characters_per_day: 12, messages_per_day: 1 });
    const { message_id } = (await agent.send("one")).body;
    const edit = (content: string) => agent.client.put(`/api/messages/${message_id}`, { content });
    expect((await edit("seven 7")).status).toBe(200);
    expect((await edit("seven 7")).status).toBe(200);
    expectError(await edit("eight 88"), 403, "budget_exhausted");
    expect(await agent.states()).toMatchObject([{ used: 1 }, { budget: "characters_per_day", used: 10 }]);
    const stream = { channel_slug: channel.slug, agent_name: agent.name, client_msg_id: "s1" };
    expectError(await agent.client.post("/api/agenthub/streams", stream), 403, "budget_exhausted");
  });

  test("what a cancelled stream has shown counts, and open streams take the messages that are left", async () => {
    const agent = await spender({ messages_per_day: 2, characters_per_day: 50 });
    const start = (client_msg_id: string, channel_slug = channel.slug) =>
      agent.client.post("/api/agenthub/streams", { channel_slug, agent_name: agent.name, client_msg_id });
    const end = (id: number, how: string) => agent.client.post(`/api/agenthub/streams/${id}/${how}`, {});
    const silent = (await start("silent")).body.stream_id;
    expect([(await end(silent, "cancel")).status, (await agent.states())[0].used]).toEqual([200, 0]);
    const shown = (await start("shown")).body.stream_id;
    const text = { offset: 0, delta: "🙂".repeat(60) };
    expect((await agent.client.post(`/api/agenthub/streams/${shown}/append`, text)).status).toBe(200);
    for (let i = 0; i < 2; i += 1) expect((await end(shown, "cancel")).status).toBe(200);
    expect(await agent.states()).toMatchObject([{ used: 1 }, { used: 60, remaining: 0 }]);
    expectError(await start("more"), 403, "budget_exhausted");
    expect((await ann.put(agent.path, { characters_per_day: null })).status).toBe(200);
    const last = (await start("last")).body.stream_id;
    expectError(await start("beside", (await newChannel(ann)).slug), 403, "budget_exhausted");
    await end(last, "cancel");
    expect((await start("again")).status).toBe(201);
  });

  test("owners set limits, staff sets ceilings, and the lower one is in force", async () => {
    const agent = await spender({ messages_per_day: 5 });
    expectError(await ann.put(agent.path, { ceilings: { messages_per_day: 1 } }), 403, "forbidden");
    expectError(await ruth.put(agent.path, { messages_per_day: 1 }), 403, "forbidden");
    expectError(await ann.put(agent.path, {}), 400, "no_fields");
    expectError(await ann.put(agent.path, { period_zone: "+01:00" }), 400, "invalid_request");
    const answer = await ruth.put(agent.path, { ceilings: { messages_per_day: 2, cards_per_day: 0 } });
    expect(answer.status).toBe(200);
    expect(answer.body.budgets).toMatchObject([
      { budget: "messages_per_day", limit: 2 },
      { budget: "cards_per_day", limit: 0 },
    ]);
    expect((await ann.put(agent.path, { messages_per_day: null })).body.budgets).toMatchObject([{ limit: 2 }, {}]);
    expect((await agent.client.get("/api/agenthub/me")).body.budgets).toMatchObject({
      ceilings: { messages_per_day: 2 },
    });
    expect((await auditLines(server)).slice(-2)).toEqual([
      `ruth agent_budgets agent:${agent.agentId}`,
      `ann agent_budgets agent:${agent.agentId}`,
    ]);
  });

  test("of 50 challenges at once only as many are made as the budget holds", async () => {
    const agent = await spender({
      payments_per_day: [{ ...USDC, amount: "100" }],
      payment_max: [{ ...USDC, amount: "60" }],
    });
    const { agentId } = agent;
    const expires_at = clock.now() + 600_000;
    const challenge = (payment_id: string, price: string, asset = USDC) => ({
      ...{ payment_id: `${payment_id} ${agentId}`, principal: `a${agentId}`, ...asset, price, expires_at },
    });
    const ask = (...of: Parameters<typeof challenge>) => reservePayment(server.ctx, challenge(...of));
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`d${i}`, "30")));
    expect(answers.filter((refusal) => refusal === null)).toHaveLength(3);
    expect(answers.find((refusal) => refusal !== null)).toMatchObject({
      code: "budget_exhausted",
      details: { budget: "payments_per_day", limit: "100", used: "90" },
    });
    expect(await ask("large", "61")).toMatchObject({ details: { budget: "payment_max", limit: "60" } });
    expect(await ask("other", "1", { chain_id: 1, currency: "ETH" })).toMatchObject({ code: "budget_exhausted" });
    // The same challenge again is no second one.
    const kept = answers.indexOf(null);
    expect(await ask(`d${kept}`, "30")).toBeNull();
    // A challenge stays reserved when it is asked for again over a lower limit: it can still be paid.
    const { path } = agent;
    await ann.put(path, { payments_per_day: [{ ...USDC, amount: "80" }] });
    expect(await ask(`d${kept}`, "30")).toMatchObject({ details: { used: "60" } });
    await ann.put(path, { payments_per_day: [{ ...USDC, amount: "100" }] });
    expect(await ask("fits not", "30")).toMatchObject({ details: { used: "90" } });
    // A lapsed challenge frees its amount; a paid one does not.
    await settlePayment(server.ctx, { ...challenge(`d${kept}`, "30"), amount: "30", id: 1 });
    clock.ahead += 601_000;
    const later = (id: string) =>
      reservePayment(server.ctx, { ...challenge(id, "35"), expires_at: clock.now() + 600_000 });
    expect([await later("e1"), await later("e2")]).toEqual([null, null]);
    expect(await later("e3")).toMatchObject({ details: { used: "100" } });
    clock.ahead += DAY_MS;
    expect(await later("f1")).toBeNull();
  });
});
