import { expect, test } from "bun:test";
import { join } from "node:path";
import { say } from "../../packages/server/test/support/say.ts";
import { eventually, startTestServer } from "../../packages/server/test/support/servers/test-server.ts";

test("the example answers a mention", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  const { apiKey } = await server.agent("Echo");
  const env = { PATH: process.env.PATH ?? "", PARLEY_URL: server.url, PARLEY_KEY: apiKey };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "main.ts")], { env, stdout: "inherit" });
  try {
    const { message_id } = await say(ann, "general", "@Echo a <b>");
    const reply = await eventually("it answers", async () => {
      const { messages } = (await ann.get("/api/messages?channel_slug=general")).body;
      return messages.find(({ reply_to_id }: { reply_to_id: number | null }) => reply_to_id === message_id);
    });
    expect(reply).toMatchObject({ agent_name: "Echo", content: "You said: **a \\<b>**" });
  } finally {
    child.kill();
    await child.exited;
  }
});
