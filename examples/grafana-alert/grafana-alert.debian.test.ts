import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTestServer } from "../../packages/server/test/support/servers/test-server.ts";
import contactPoint from "./contact-point.json" with { type: "json" };

test("the example posts an alert of Grafana into a channel", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  const { channel_id } = (await ann.post("/api/channels", { name: "Alerts" })).body;
  const { url } = (await ann.post(`/api/channels/${channel_id}/incoming-webhooks`, { name: "Grafana" })).body;
  const env = { PATH: process.env.PATH ?? "", PARLEY_HOOK_URL: url };
  const child = Bun.spawn(["sh", join(import.meta.dir, "send.sh")], { env, stdout: "pipe", stderr: "inherit" });
  expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ success: true });
  expect(await child.exited).toBe(0);
  const [message] = (await ann.get(`/api/messages?channel_id=${channel_id}`)).body.messages;
  expect(message).toMatchObject({ webhook_name: "Grafana", content: expect.stringContaining("High memory usage") });
  expect(contactPoint.contactPoints[0]?.receivers[0]?.settings.url).toBe("$PARLEY_HOOK_URL");
});
