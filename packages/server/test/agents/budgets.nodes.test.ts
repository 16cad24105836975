import { expect, test } from "bun:test";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { Client, eventually, type TestServer } from "../support/servers/test-server.ts";

test("two nodes count together, and a budget set on one holds on the other", async () => {
  await using cluster = await startNodes(2, { bus: "redis", config: { rateLimits: "off", agentLoopLimit: 0 } });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const ann = await here.user("ann");
  const { api_key, agent_id } = await issueKey(here.ctx, { agentName: "Spender", ownerUsername: "ann" });
  const doors = [here, there].map(({ url }) => new Client(url, { authorization: `Bearer ${api_key}` }));
  const send = (at: number, message: string) =>
    doors[at % 2]?.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Spender", message });
  // The other node has learned that the agent has no budget.
  expect((await send(1, "before"))?.status).toBe(201);
  expect((await ann.put(`/api/agents/${agent_id}/budgets`, { messages_per_day: 10 })).status).toBe(200);
  await eventually("the other node counts", async () => {
    await send(1, "after");
    const [state] = (await ann.get(`/api/agents/${agent_id}/budgets`)).body.budgets;
    return state.used === 1;
  });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => send(i, `at once ${i}`)));
  expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(9);
});
