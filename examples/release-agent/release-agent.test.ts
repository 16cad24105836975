import { expect, test } from "bun:test";
import type { ChatMessage } from "@parley/protocol/models";
import { pressCard } from "../../packages/server/test/support/cards.ts";
import { eventually, startTestServer } from "../../packages/server/test/support/servers/test-server.ts";
import { staff } from "../../packages/server/test/support/staff.ts";

test("the agent streams, asks two people, goes on with their answer, and is stopped by its budget", async () => {
  await using server = await startTestServer();
  const [ann, bob, cleo] = [await server.user("ann"), await server.user("bob"), await server.user("cleo")];
  const { agentId, apiKey } = await server.agent("Shipper");
  const admin = await staff(server, "boss", 2);
  const budget = await admin.put(`/api/agents/${agentId}/budgets`, { ceilings: { messages_per_day: 3 } });
  expect(budget.status).toBe(200);
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/main.ts`, server.url, "general", "ann", "bob"], {
    env: { PATH: process.env.PATH ?? "", PARLEY_KEY: apiKey },
    stdout: "pipe",
    stderr: "pipe",
  });
  const say = (content: string) => cleo.post("/api/messages", { channel_slug: "general", content });
  const said = async (): Promise<ChatMessage[]> => {
    const { body } = await ann.get("/api/messages?channel_slug=general");
    return body.messages.filter(({ agent_name }: ChatMessage) => agent_name === "Shipper");
  };
  await say("@Shipper release 2.4");
  const asked = await eventually("the question", async () => (await said()).find(({ interaction }) => interaction));
  const id = asked.interaction?.interaction_id ?? 0;
  expect((await pressCard(cleo, id, "approve")).body.code).toBe("not_allowed_to_answer");
  await pressCard(ann, id, "approve");
  await pressCard(bob, id, "approve");
  await eventually("the last answer", async () => (await said()).length === 3);
  await say("@Shipper release 2.5");
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, errors]).toEqual([1, expect.stringMatching(/^budget_exhausted: .* It resets at 20/)]);
  expect(out).toContain("2.4: approve, by ann and bob\n");
  const [summary, question, answer] = await said();
  expect(summary?.stream_id).toBeNumber();
  expect(summary?.content).toEndWith("- no migration");
  expect(question?.interaction?.status).toBe("decided");
  expect(answer?.content).toBe("2.4 is on its way.");
});
