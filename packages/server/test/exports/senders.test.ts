import { expect, test } from "bun:test";
import { recordsOf } from "../support/exports/read-export.ts";
import { exported, imported } from "../support/exports/round-trip.ts";
import { putMessages } from "../support/put-messages.ts";
import { startTestServer } from "../support/servers/test-server.ts";

/** Messages of those who have no account: a webhook, a former name of an agent, an erased person, and the server itself. */
test.each(["mattermost", "slack"])("senders without accounts have names in an export for %s", async (format) => {
  await using server = await startTestServer({ rateLimits: "off" });
  const scout = await server.agent("Scout");
  await putMessages(server.ctx, [
    { content: "an alert", sender_type: "system", webhook_id: 7, sender_name: "Build Alerts" },
    { content: "an old name", sender_type: "agent", agent_id: scout.agentId, sender_name: "Old Scout" },
    { content: "an erased person", sender_name: "deleted-user" },
    { content: "a notice", sender_type: "system", type: "system", sender_name: "system" },
  ]);
  const { path, line } = await exported(server, format);
  expect(line.counts).toMatchObject({ agents: { taken: 3 }, messages: { taken: 3, left_out: 0 } });
  expect(line.left_out).toContainEqual(expect.objectContaining({ kind: "system_message", reason: "system", count: 1 }));
  if (format === "mattermost")
    expect(recordsOf(path, "bot").map(({ username }) => username)).toEqual(["scout", "old-scout", "build-alerts"]);

  await using other = await startTestServer({ rateLimits: "off" });
  expect((await imported(other, format, path)).code).toBe(0);
  const rows = await other.ctx.db
    .selectFrom("messages")
    .select(["content", "sender_type", "sender_name"])
    .where("deleted_at", "is", null)
    .orderBy("seq")
    .execute();
  expect(
    rows.map(({ content, sender_type, sender_name }) => [content, sender_type, sender_name.toLowerCase()]),
  ).toEqual([
    ["an alert", "agent", format === "slack" ? "build.alerts" : "build-alerts"],
    ["an old name", "agent", "old-scout"],
    ["an erased person", "user", expect.stringMatching(/^deleted-user/)],
  ]);
});
