import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueKey } from "../../server/src/agents/keys/keys.ts";
import { say } from "../../server/test/support/say.ts";
import { eventually, startTestServer } from "../../server/test/support/servers/test-server.ts";
import { sdkProgram } from "../src/agents/key-commands.ts";

const SDK = JSON.stringify(join(import.meta.dirname, "../../sdk/src/parley.ts"));

test("the program that the page shows with a new key goes on when a budget is used up", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const ann = await server.user("ann");
  const { api_key, agent_id } = await issueKey(server.ctx, { agentName: "Scout", ownerUsername: "ann" });
  const budgets = `/api/agents/${agent_id}/budgets`;
  await ann.put(budgets, { messages_per_day: 1 });
  const folder = await mkdtemp(join(tmpdir(), "parley-sample-"));
  const access = { url: server.url, apiKey: api_key, name: "Scout", channel: "general" };
  await Bun.write(join(folder, "agent.ts"), sdkProgram(access).replace('"@parley/sdk"', SDK));
  const program = Bun.spawn([process.execPath, join(folder, "agent.ts")], {
    env: { ...process.env, PARLEY_KEY: api_key },
    stdout: "ignore",
    stderr: "pipe",
  });
  try {
    const answers = async () =>
      (await ann.get("/api/messages?channel_id=1")).body.messages.filter(
        ({ sender_type }: { sender_type: string }) => sender_type === "agent",
      ).length;
    await say(ann, "general", "@Scout one");
    await eventually("the first is answered", async () => (await answers()) === 1);
    await say(ann, "general", "@Scout two");
    const reader = program.stderr.getReader();
    const told = new TextDecoder().decode((await reader.read()).value);
    expect(told).toContain("used up a budget");
    await ann.put(budgets, { messages_per_day: 5 });
    await say(ann, "general", "@Scout three");
    await eventually("it still answers", async () => (await answers()) === 2);
  } finally {
    program.kill();
    await program.exited;
    await rm(folder, { recursive: true });
  }
});
