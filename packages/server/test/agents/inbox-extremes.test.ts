import { expect, test } from "bun:test";
import { insertItems } from "../../src/messages/inbox/inbox-rows.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** An inbox that a stranger fills, or whose items have lost their messages (protocol §5). */

const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }));

test("items whose messages were purged do not hide those that follow", async () => {
  const [ann, agent] = [await server.user("ann"), await server.agent("Gap")];
  const general = { channel_id: 1, agent_id: agent.agentId, agent_name: "Gap", created_at: 1 };
  await insertItems(
    server.ctx.db,
    [900_001, 900_002].map((message_id) => ({ ...general, message_id })),
  );
  expect((await agent.get("/api/agenthub/inbox?limit=1")).body).toMatchObject({ items: [], last_item_id: 0 });
  const { body } = await ann.post("/api/messages", { channel_slug: "general", content: "@Gap hello" });
  for (const limit of [1, 2, 50]) {
    const page = (await agent.get(`/api/agenthub/inbox?limit=${limit}&wait=5`)).body;
    expect(page).toMatchObject({ count: 1, remaining: 0, items: [{ chat_message: { id: body.message_id } }] });
  }
});

test("mentions by strangers do not push out what was said in a direct conversation", async () => {
  const [bob, eve, agent] = [await server.user("bob"), await server.user("eve"), await server.agent("Busy")];
  await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", agent.agentId).execute();
  const { channel_id } = (await bob.post("/api/direct", { agent_name: "Busy" })).body;
  await bob.post("/api/messages", { channel_id, content: "urgent" });
  const spam = (await eve.post("/api/messages", { channel_slug: "general", content: "@Busy spam" })).body.message_id;
  const mention = { channel_id: 1, agent_id: agent.agentId, agent_name: "Busy", message_id: spam, created_at: 1 };
  await insertItems(
    server.ctx.db,
    Array.from({ length: 1_005 }, () => mention),
  );
  const first = (await agent.get("/api/agenthub/inbox?limit=1")).body;
  expect(first.items).toMatchObject([{ kind: "direct", chat_message: { content: "urgent" } }]);
  expect((await agent.get("/api/agenthub/inbox?kinds=mention&limit=1")).body.remaining).toBe(999);
  const [dropped] = (await agent.get("/api/agenthub/inbox?kinds=notice")).body.items;
  expect(dropped.notice).toMatchObject({ type: "items_dropped", details: { dropped: 6 } });
});
