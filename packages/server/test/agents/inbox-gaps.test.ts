import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** An inbox in which items have lost their messages (protocol §5). */
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ agentLoopLimit: 0 });
});
afterAll(() => server[Symbol.asyncDispose]());

test("items whose messages were purged do not hide those that follow", async () => {
  const [ann, agent] = [await server.user("ann"), await server.agent("Gap")];
  const general = { channel_id: 1, agent_id: agent.agentId, agent_name: "Gap", kind: "mention", notice: null } as const;
  for (const message_id of [900_001, 900_002]) {
    const orphan = { ...general, message_id, created_at: 1, removed_at: null };
    await server.ctx.db.insertInto("mentions").values(orphan).execute();
  }
  expect((await agent.get("/api/agenthub/inbox?limit=1")).body).toMatchObject({ items: [], last_item_id: 0 });
  const { body } = await ann.post("/api/messages", { channel_slug: "general", content: "@Gap hello" });
  for (const limit of [1, 2, 50]) {
    const page = (await agent.get(`/api/agenthub/inbox?limit=${limit}&wait=5`)).body;
    expect(page).toMatchObject({ count: 1, remaining: 0, items: [{ chat_message: { id: body.message_id } }] });
  }
});
