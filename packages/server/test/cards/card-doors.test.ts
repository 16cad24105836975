import { expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { APPROVAL, askCard, asked } from "../support/cards.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";

/** Cards by REST, the socket and MCP: the same refusals, and limits of keys and budgets hold for them. */
const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const [ann, agent] = [await server.user("ann"), await server.agent("Shipper")];

test("every door refuses a card with the same code, and accepts the same card", async () => {
  await using socket = await LiveSocket.open(server.url, agent.credential);
  await using mcp = await currentClient(server.url, agent.apiKey, "auto");
  const options = ["approve", "deny"].map((action_id) => ({ action_id, label: action_id }));
  for (const [who, code] of [
    [{}, "nobody_may_answer"],
    [{ roles: ["member"] }, "nobody_may_answer"],
    [{ owner: true }, "nobody_may_answer"],
    [{ users: ["nobody-here"] }, "user_not_found"],
    [{ roles: ["king"] }, "invalid_components"],
  ] as const) {
    const interaction = { kind: "approval", who };
    const rest = await askCard(agent, { interaction });
    const send = { channel_slug: "general", content: "Deploy?", components: APPROVAL, interaction };
    const live = await socket.ask("message:send", send);
    const tool = await mcp.call("ask_people", { channel: "general", question: "Deploy?", options, who });
    expect([rest.body.code, live.data.code, tool.body.code]).toEqual([code, code, code]);
  }
  const interaction = { kind: "approval", who: { users: ["ann"] } };
  const live = await socket.ask("message:send", {
    channel_slug: "general",
    content: "Deploy?",
    components: APPROVAL,
    interaction,
  });
  expect(live.data.chat_message).toMatchObject({ agent_name: "Shipper", interaction: { status: "open" } });
});

test("a key needs the scope cards to ask and to read its answers, and an agent what is left of its budget", async () => {
  const { interaction_id: id } = await asked(agent);
  const { api_key } = await issueKey(server.ctx, { agentName: "Sender", grant: { scopes: ["send"] } });
  const limited = new Client(server.url, { authorization: `Bearer ${api_key}` });
  const plain = await limited.post("/api/agenthub/send", { channel_slug: "general", message: "Without a card." });
  expect(plain.status).toBe(201);
  for (const { body } of [
    await askCard(limited),
    await limited.get(`/api/interactions/${id}`),
    await limited.post(`/api/interactions/${id}/cancel`),
  ])
    expect(body).toMatchObject({ code: "insufficient_scope", details: { required: "cards" } });
  const { ctx } = server;
  const owner = await ctx.db.selectFrom("users").select("id").where("username", "=", "ann").executeTakeFirstOrThrow();
  const owned = { owner_user_id: owner.id, owner_verified: 1 as const };
  await ctx.db.updateTable("agents").set(owned).where("id", "=", agent.agentId).execute();
  expect((await ann.put(`/api/agents/${agent.agentId}/budgets`, { cards_per_day: 2 })).status).toBe(200);
  const codes = await Promise.all(Array.from({ length: 5 }, async () => (await askCard(agent)).body.code ?? "asked"));
  expect(codes.sort()).toEqual(["asked", "asked", "budget_exhausted", "budget_exhausted", "budget_exhausted"]);
  const open = await ctx.db.selectFrom("interactions").select("message_id").where("status", "=", "open").execute();
  expect(open).toHaveLength(4);
});
