import { expect, test } from "bun:test";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const GENERAL = "parley://channel/general";

test("a subscription tells at most once a second of a channel", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  const scout = await server.agent("Scout");
  await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
  await using mcp = await currentClient(server.url, scout.apiKey, "auto");
  if (!("listen" in mcp.raw)) throw new Error("not the current client");
  let told = 0;
  mcp.raw.setNotificationHandler("notifications/resources/updated", () => {
    told += 1;
  });
  await mcp.raw.listen({ resourceSubscriptions: [GENERAL] });
  const started = performance.now();
  for (let n = 0; n < 20; n++) await ann.post("/api/messages", { channel_slug: "general", content: `Message ${n}` });
  await eventually("the last notification", () => told >= 2);
  expect(told).toBeLessThanOrEqual(2 + (performance.now() - started) / 1_000);
});
